package io.palinode.store.conformance;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the kit has tried and compared. */
public final class KitFigures {
  int histories;
  int writes;
  int copies;
  int deletes;
  int obsolete;
  int siblings;
  int restores;
  int crashes;
  int lostPasts;
  int equalDigests;
  int differentDigests;
  int mergedKeys;
  int overlapping;

  KitFigures() {}

  public int histories() {
    return histories;
  }

  /** Restores of one node to one cut, each equal to the model. */
  public int restores() {
    return restores;
  }

  /** Ends of a process without an orderly stop. */
  public int crashes() {
    return crashes;
  }

  /** Crashes after which the node's reach began later. */
  public int lostPasts() {
    return lostPasts;
  }

  /** Those that are not zero. */
  @Override
  public String toString() {
    Map<String, Integer> figures = new LinkedHashMap<>();
    figures.put("histories", histories);
    figures.put("writes", writes);
    figures.put("copies", copies);
    figures.put("deletes", deletes);
    figures.put("obsolete", obsolete);
    figures.put("siblings", siblings);
    figures.put("restores", restores);
    figures.put("crashes", crashes);
    figures.put("lostPasts", lostPasts);
    figures.put("equalDigests", equalDigests);
    figures.put("differentDigests", differentDigests);
    figures.put("mergedKeys", mergedKeys);
    figures.put("overlapping", overlapping);
    figures.values().removeIf(figure -> figure == 0);
    return figures.toString();
  }
}
