package io.palinode.simulation.node;

import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.Closed;
import io.palinode.wire.v1.Opened;
import io.palinode.wire.v1.VariableVersion;

/** Records of releases without the times of versions; for a planted bug. */
final class Untimed {
  private Untimed() {}

  static CandidateRecord of(CandidateRecord record) {
    CandidateRecord.Builder untimed = record.toBuilder();
    if (record.hasOpened()) {
      Opened.Builder opened = untimed.getOpenedBuilder();
      opened.getValuesBuilderList().forEach(VariableVersion.Builder::clearTimestampMs);
    } else if (record.hasClosed()) {
      Closed.Builder closed = untimed.getClosedBuilder();
      closed.getOpenedByBuilder().clearTimestampMs();
    }
    return untimed.build();
  }
}
