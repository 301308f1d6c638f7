"""What the demo has besides the replay: a past of six weeks, people, events of its own, pictures.

calendar  when the recorded markets live in that past
schedule  lets its steps happen in order, on a service whose time they set
past      what the demo's own people did: bets, sales, an event, comments
polls     that event: two questions with several outcomes
growing   a list that grew twice while people traded in it
talk      what they say
loader    a recurring price market, with instances of the last half hour, and a result that can be disputed
exchange  a price that moves without the internet, served like an exchange's
covers    draws a picture for an event, by its topic
pictures  gives each event its picture
people    accounts to sign in with, and traders with money
welcome   what newcomers get: play money, and an invitation with more
shop      the demo's partner, with a key and money on its float
traders   strategies that go on trading while the demo runs
"""
