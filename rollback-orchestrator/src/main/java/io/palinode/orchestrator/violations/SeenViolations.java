package io.palinode.orchestrator.violations;

import io.palinode.hvc.Grade;
import io.palinode.orchestrator.RollbackMachine;
import io.palinode.wire.v1.Violation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells new violations from repeats, by id, as far back as its capacity; a repeat with a higher
 * grade is news. {@link RollbackMachine} does not need it to be right, but alerts, counts and
 * latencies do. Not thread-safe.
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

  /** What a violation is to those who have seen the ones before. */
  public enum Novelty {
    NEW,
    /** Seen, with a lower grade. */
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

  /** The greatest grade with which it was seen; null if it was not, or too long ago. */
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
