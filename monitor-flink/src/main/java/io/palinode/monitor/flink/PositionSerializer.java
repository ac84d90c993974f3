package io.palinode.monitor.flink;

import io.palinode.monitor.sequence.SequenceCheck.Position;
import java.io.IOException;
import java.io.Serial;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link Position}, in the sequence check's state.
 *
 * <pre>
 * +--------+-----------+------+-------------+-------+----------+-----+-------+-------+
 * | u8 = 1 | partition | node | incarnation | epoch | sequence | hlc | clock | state |
 * |        | i32       | i32  | i64         | i64   | i64      | i64 | sized | u8    |
 * +--------+-----------+------+-------------+-------+----------+-----+-------+-------+
 * </pre>
 */
public final class PositionSerializer extends StableSerializer<Position> {
  public static final PositionSerializer INSTANCE = new PositionSerializer();

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(Position position, DataOutputView out) throws IOException {
    writeSender(position.sender(), out);
    out.writeLong(position.sequence());
    writeStamp(position.stamp(), out);
    out.writeByte(position.state().code());
  }

  @Override
  Position read(DataInputView in) throws IOException {
    return new Position(
        readSender(in), in.readLong(), readStamp(in), Position.State.of(in.readUnsignedByte()));
  }

  @Override
  public TypeSerializerSnapshot<Position> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Position> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
