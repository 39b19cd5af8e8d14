"""torch's side: what of an FX graph goes to the compiler, and how it gets there."""
