"""What people think of pools' outcomes without a stake, and what the crowd of them thinks."""
