"""Benchmarks of speed, memory and accuracy. They measure and never assert."""
