"""statistic"""
