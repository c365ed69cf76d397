-- The metric compile_time: what a build takes, not what a run of its program does.

ALTER TYPE metric ADD VALUE 'compile_time';
