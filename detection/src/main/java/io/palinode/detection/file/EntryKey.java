package io.palinode.detection.file;

import io.palinode.detection.Candidate;

/**
 * Where an entry stands in the order that a trace is sorted into.
 *
 * @param start the own start; or 0
 * @param rank decides between entries that are equal otherwise
 */
record EntryKey(Group group, long start, long rank) implements Comparable<EntryKey> {
  /**
   * What stands together.
   *
   * @param part the node; or the clause and the term
   */
  record Group(String binding, long part, String member, String version)
      implements Comparable<Group> {
    int textChars() {
      return binding.length() + member.length() + version.length();
    }

    // By hand: without reflection, also before it is compiled.
    @Override
    public boolean equals(Object o) {
      return o instanceof Group other
          && part == other.part
          && binding.equals(other.binding)
          && member.equals(other.member)
          && version.equals(other.version);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * (31 * binding.hashCode() + Long.hashCode(part)) + member.hashCode())
          + version.hashCode();
    }

    @Override
    public int compareTo(Group other) {
      int order = compare(binding, other.binding);
      order = order == 0 ? Long.compare(part, other.part) : order;
      order = order == 0 ? compare(member, other.member) : order;
      return order == 0 ? compare(version, other.version) : order;
    }

    @SuppressWarnings("ReferenceEquality") // Most are the same object.
    private static int compare(String one, String other) {
      return one == other ? 0 : one.compareTo(other);
    }
  }

  /** Instance by instance, node by node, in the order of starts. */
  static EntryKey byStart(Entry entry) {
    Candidate candidate = entry.candidate();
    return new EntryKey(
        new Group(entry.binding(), candidate.id().node(), "", ""),
        candidate.interval().start().own(),
        entry.rank());
  }

  /** What the replicas show of one version stands together. */
  static EntryKey byVersion(Entry entry) {
    Candidate candidate = entry.candidate();
    return new EntryKey(
        new Group(
            entry.binding(),
            (long) candidate.clause() << Integer.SIZE | candidate.term(),
            candidate.member(),
            candidate.version()),
        0,
        entry.rank());
  }

  @Override
  public int compareTo(EntryKey other) {
    int order = group.compareTo(other.group);
    return order == 0 ? compareInGroup(other) : order;
  }

  /** Both are of one group. */
  int compareInGroup(EntryKey other) {
    int order = Long.compare(start, other.start);
    return order == 0 ? Long.compare(rank, other.rank) : order;
  }
}
