package io.palinode.monitor.flink;

import io.palinode.monitor.flink.Verdict.Kind;
import java.io.IOException;
import java.io.Serial;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link Verdict}, between tasks.
 *
 * <pre>
 * +--------+------+-----+--------+
 * | u8 = 1 | kind | hlc | record |
 * |        | u8   | i64 | sized  |
 * +--------+------+-----+--------+
 * </pre>
 */
final class VerdictSerializer extends StableSerializer<Verdict> {
  static final VerdictSerializer INSTANCE = new VerdictSerializer();

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(Verdict verdict, DataOutputView out) throws IOException {
    out.writeByte(verdict.kind().code());
    out.writeLong(verdict.hlc());
    writeSized(verdict.record(), out);
  }

  @Override
  Verdict read(DataInputView in) throws IOException {
    return new Verdict(Kind.of(in.readByte()), in.readLong(), readSized(in));
  }

  @Override
  public TypeSerializerSnapshot<Verdict> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Verdict> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
