"""What the demo has besides the replayed markets: a recurring market on a price, and a result that can be disputed.

loader    makes them, with instances of the last half hour
exchange  a price that moves without the internet, served like an exchange's
"""
