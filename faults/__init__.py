"""Faults: kills, power cuts, full and failing disks, databases that go away; what was answered must still be there."""
