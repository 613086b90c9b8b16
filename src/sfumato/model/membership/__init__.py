"""Membership inference: was a record in the training set of a model, judged by what the model says of it?"""
