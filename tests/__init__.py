"""The tests: folders mirror src/foreknow; support/ holds what several of them need."""
