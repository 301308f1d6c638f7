"""What the demo has besides the replayed markets: a recurring price market, a disputable result, pictures.

loader    makes them, with instances of the last half hour
exchange  a price that moves without the internet, served like an exchange's
covers    draws a picture for an event, by its topic
pictures  gives each event its picture
"""
