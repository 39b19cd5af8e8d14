"""Side-by-side measurements against eager and Inductor."""
