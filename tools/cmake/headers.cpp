// Nothing: what is wanted of its target are the headers that nsop_precompiled() reads once.
