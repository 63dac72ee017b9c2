"""The capture service: takes tool results, redacts them, keeps them durably and hands them to the corpus."""
