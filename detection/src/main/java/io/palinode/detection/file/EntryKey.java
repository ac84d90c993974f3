package io.palinode.detection.file;

import io.palinode.detection.Candidate;

/**
 * Where an entry stands in the order that a trace is sorted into.
 *
 * @param group the node; or the clause and the term
 * @param start the own start; or 0
 * @param rank decides between entries that are equal otherwise
 */
record EntryKey(String binding, long group, String member, String version, long start, long rank)
    implements Comparable<EntryKey> {

  /** Instance by instance, node by node, in the order of starts. */
  static EntryKey byStart(Entry entry) {
    Candidate candidate = entry.candidate();
    return new EntryKey(
        entry.binding(),
        candidate.id().node(),
        "",
        "",
        candidate.interval().start().own(),
        entry.rank());
  }

  /** What the replicas show of one version stands together. */
  static EntryKey byVersion(Entry entry) {
    Candidate candidate = entry.candidate();
    return new EntryKey(
        entry.binding(),
        (long) candidate.clause() << Integer.SIZE | candidate.term(),
        candidate.member(),
        candidate.version(),
        0,
        entry.rank());
  }

  int textChars() {
    return binding.length() + member.length() + version.length();
  }

  // By hand: sorting a trace is mostly this.
  @Override
  public int compareTo(EntryKey other) {
    int order = compare(binding, other.binding);
    order = order == 0 ? Long.compare(group, other.group) : order;
    order = order == 0 ? compare(member, other.member) : order;
    order = order == 0 ? compare(version, other.version) : order;
    order = order == 0 ? Long.compare(start, other.start) : order;
    return order == 0 ? Long.compare(rank, other.rank) : order;
  }

  @SuppressWarnings("ReferenceEquality") // Most are the same object.
  private static int compare(String one, String other) {
    return one == other ? 0 : one.compareTo(other);
  }
}
