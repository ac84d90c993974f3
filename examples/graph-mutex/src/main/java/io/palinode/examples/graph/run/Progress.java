package io.palinode.examples.graph.run;

/**
 * A run at one moment, all clients together.
 *
 * @param tasks done, as far as they stand; a rollback lets it fall
 * @param operations gets and puts that returned
 * @param wasted those that had to be done again, see {@link ColouringClient#wasted}
 * @param rollbacks the most that any client has learned of
 */
public record Progress(int tasks, int tasksTotal, long operations, long wasted, int rollbacks) {}
