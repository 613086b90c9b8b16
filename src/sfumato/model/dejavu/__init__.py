"""The déjà vu test: does an encoder, shown only the background of a training image, know what was in front of it?"""
