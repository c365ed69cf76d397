"""Examples: learners of others on Hone's replay buffer and campaigns."""
