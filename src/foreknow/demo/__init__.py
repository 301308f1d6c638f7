"""What the demo has besides the replayed markets: a recurring price market, a disputable result, pictures, and people.

loader    makes them, with instances of the last half hour
exchange  a price that moves without the internet, served like an exchange's
covers    draws a picture for an event, by its topic
pictures  gives each event its picture
people    accounts to sign in with, traders with money, comments
traders   strategies that go on trading while the demo runs
"""
