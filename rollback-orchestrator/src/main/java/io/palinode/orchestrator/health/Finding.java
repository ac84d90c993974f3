package io.palinode.orchestrator.health;

/**
 * One result of an examination of the cluster. Immutable.
 *
 * @param part what was examined, such as {@code kafka} or {@code node 1}
 * @param what one clause, without a full stop
 * @param fix what an operator does; empty if nothing is to be done
 */
public record Finding(String part, Level level, String what, String fix) {
  /** How bad it is. */
  public enum Level {
    OK,
    /** Known to be a property of this installation, or not measured. */
    NOTE,
    /** Something is wrong. */
    FAULT
  }

  public static Finding ok(String part, String what) {
    return new Finding(part, Level.OK, what, "");
  }

  public static Finding note(String part, String what, String fix) {
    return new Finding(part, Level.NOTE, what, fix);
  }

  public static Finding fault(String part, String what, String fix) {
    return new Finding(part, Level.FAULT, what, fix);
  }
}
