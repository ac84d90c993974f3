package io.palinode.store.conformance;

/** Where a plan ends the process of a node. */
enum CrashPoint {
  AFTER_PAUSE(Step.PAUSE, When.AFTER_STEP),
  BEFORE_RESTORE_COMMIT(Step.RESTORE, When.BEFORE_COMMIT),
  AFTER_RESTORE_COMMIT(Step.RESTORE, When.AFTER_COMMIT),
  AFTER_RESTORE(Step.RESTORE, When.AFTER_STEP),
  BEFORE_MERGE_COMMIT(Step.MERGE, When.BEFORE_COMMIT),
  AFTER_MERGE_COMMIT(Step.MERGE, When.AFTER_COMMIT),
  AFTER_MERGE(Step.MERGE, When.AFTER_STEP),
  BEFORE_RESUME_COMMIT(Step.RESUME, When.BEFORE_COMMIT),
  AFTER_RESUME_COMMIT(Step.RESUME, When.AFTER_COMMIT),
  AFTER_RESUME(Step.RESUME, When.AFTER_STEP);

  /** A step of a plan at one node. */
  enum Step {
    PAUSE,
    RESTORE,
    MERGE,
    RESUME
  }

  /** The commit is the step's first one. */
  enum When {
    BEFORE_COMMIT,
    AFTER_COMMIT,
    AFTER_STEP
  }

  final Step step;
  final When when;

  CrashPoint(Step step, When when) {
    this.step = step;
    this.when = when;
  }
}
