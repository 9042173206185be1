"""Words and pictures: what a person reads.  Every number comes from `neraca.scores`."""
