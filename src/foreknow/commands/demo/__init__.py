"""What the demo has besides the replay: a past of six weeks, people, events of its own, pictures.

calendar   when the recorded markets live in that past
schedule   lets its steps happen in order, on a service whose time they set
past       what the demo's own people did and said: bets, sales, an event, comments
polls      that event: how many, and two questions with several outcomes
questions  events of theirs that ask for a date, for two answers at once, and for a name on a list that grows
shaped     how these were traded, by baskets
baskets    which basket brings a pool nearer to what is believed
forecasts  what people without money think, then and while it runs
follows    what one of them follows, and their price alerts
loader     a recurring price market, with instances of the last half hour, and a result that can be disputed
exchange   a price that moves without the internet, served like an exchange's
covers     draws a picture for an event, by its topic
pictures   gives each event its picture
people     accounts to sign in with, and traders with money
welcome    what newcomers get: play money, and an invitation with more
shop       the demo's partner, with a key and money on its float
traders    strategies that go on trading while the demo runs
"""
