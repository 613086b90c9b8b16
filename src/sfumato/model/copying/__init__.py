"""The data-copying test: are generated samples closer to the training set than fresh real ones are?"""
