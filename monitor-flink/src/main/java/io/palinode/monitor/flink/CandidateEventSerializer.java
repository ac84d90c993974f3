package io.palinode.monitor.flink;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.CandidateEvent.Kind;
import java.io.IOException;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link CandidateEvent}, between tasks and while it waits.
 *
 * <pre>
 * +--------+-----------+------+-------------+-------+----------+------+-----+-------+-------+--------+
 * | u8 = 1 | partition | node | incarnation | epoch | sequence | kind | hlc | clock | key   | record |
 * |        | i32       | i32  | i64         | i64   | i64      | u8   | i64 | sized | sized | sized  |
 * +--------+-----------+------+-------------+-------+----------+------+-----+-------+-------+--------+
 * </pre>
 */
public final class CandidateEventSerializer extends StableSerializer<CandidateEvent> {
  static final CandidateEventSerializer INSTANCE = new CandidateEventSerializer();

  public static final TypeInformation<CandidateEvent> TYPE =
      new StableType<>(CandidateEvent.class, INSTANCE);

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(CandidateEvent event, DataOutputView out) throws IOException {
    writeSender(event.sender(), out);
    out.writeLong(event.sequence());
    out.writeByte(event.kind().code());
    writeStamp(event.stamp(), out);
    writeText(event.key(), out);
    writeSized(event.record(), out);
  }

  @Override
  CandidateEvent read(DataInputView in) throws IOException {
    return new CandidateEvent(
        readSender(in),
        in.readLong(),
        Kind.of(in.readByte()),
        readStamp(in),
        readText(in),
        readSized(in));
  }

  @Override
  public TypeSerializerSnapshot<CandidateEvent> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<CandidateEvent> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
