"""Measures of speed, memory and accuracy; they measure and never assert."""
