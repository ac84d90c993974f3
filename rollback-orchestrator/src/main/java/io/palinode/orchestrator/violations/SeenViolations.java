package io.palinode.orchestrator.violations;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.wire.v1.Violation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Separates new violations from repeats by id, up to its capacity. Not thread-safe. A repeat with a
 * higher grade is new. Alerts, counts and latencies depend on it; {@link RollbackMachine} does not.
 */
public final class SeenViolations {
  private final int capacity;
  private final LinkedHashMap<String, Grade> grades = new LinkedHashMap<>(16, 0.75f, true);

  public SeenViolations(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
    }
    this.capacity = capacity;
  }

  /** How a violation compares to earlier ones of its id. */
  public enum Novelty {
    NEW,
    /** Seen before with a lower grade. */
    RISEN,
    REPEAT
  }

  public Novelty admit(Violation violation) {
    Grade grade = Grades.of(violation.getGrade());
    Grade known = grades.get(violation.getId());
    if (known != null && known.atLeast(grade)) {
      return Novelty.REPEAT;
    }
    grades.put(violation.getId(), grade);
    forgetOldest();
    return known == null ? Novelty.NEW : Novelty.RISEN;
  }

  /** The greatest grade of this id so far; null: not seen, or forgotten. */
  public @Nullable Grade grade(String id) {
    return grades.get(id);
  }

  private void forgetOldest() {
    if (grades.size() > capacity) {
      Map.Entry<String, Grade> oldest = grades.entrySet().iterator().next();
      grades.remove(oldest.getKey());
    }
  }
}
