package io.palinode.simulation.world;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What may go wrong in a run. */
public enum Fault {
  /** Processes die at any moment, also between two writes to disk or log, and are started again. */
  CRASH,
  /** Links carry nothing for a while. */
  PARTITION,
  /** Links take long. */
  SLOW,
  /** Records come into a log twice, appends fail whose record is there, late ones arrive. */
  DUPLICATE,
  /** Clocks of nodes differ, by up to the drift that is accepted, and run at different speeds. */
  SKEW,
  /** Clocks leap, also back. */
  JUMP,
  /** Disks are full for a while, and the candidates' topic refuses records. */
  DISK,
  /** Another orchestrator starts while the old one still runs or is frozen. */
  TAKEOVER,
  /** A node cannot carry out one kind of control duty, until the plan ends. */
  DUTY,
  /** A node is killed right after it acknowledged a witness, and its client; both stay away. */
  AWAY,
  /**
   * A program with the rights of a node appends decisions, and absurd records, to the control log.
   */
  FORGE;

  /** Reads a list such as {@code crash,skew}, or {@code all}, or {@code none}. */
  public static Set<Fault> parse(String text) {
    Set<Fault> faults = EnumSet.noneOf(Fault.class);
    for (String name : text.split(",", -1)) {
      switch (name.strip()) {
        case "all" -> faults.addAll(EnumSet.allOf(Fault.class));
        case "none" -> {}
        default -> faults.add(one(name.strip()));
      }
    }
    return faults;
  }

  /** As {@link #parse} reads it. */
  public static String format(Set<Fault> faults) {
    if (faults.isEmpty()) {
      return "none";
    }
    return faults.size() == values().length ? "all" : String.join(",", names(faults));
  }

  private static Fault one(String name) {
    for (Fault fault : values()) {
      if (fault.text().equals(name)) {
        return fault;
      }
    }
    throw new IllegalArgumentException(
        "faults must be all, none, or some of "
            + names(EnumSet.allOf(Fault.class))
            + ": '"
            + name
            + "'");
  }

  private static Set<String> names(Set<Fault> faults) {
    Set<String> names = new TreeSet<>();
    faults.forEach(fault -> names.add(fault.text()));
    return names;
  }

  private String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
