package io.palinode.monitor.flink;

import io.palinode.monitor.Notice;
import io.palinode.monitor.Notice.Kind;
import java.io.IOException;
import java.io.Serial;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link Notice}, between tasks and in the broadcast state.
 *
 * <pre>
 * +--------+------+-----------+------+-------------+-------+-------+
 * | u8 = 1 | kind | partition | node | incarnation | epoch | body  |
 * |        | u8   | i32       | i32  | i64         | i64   | sized |
 * +--------+------+-----------+------+-------------+-------+-------+
 * </pre>
 */
public final class NoticeSerializer extends StableSerializer<Notice> {
  static final NoticeSerializer INSTANCE = new NoticeSerializer();

  public static final TypeInformation<Notice> TYPE = new StableType<>(Notice.class, INSTANCE);

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(Notice notice, DataOutputView out) throws IOException {
    out.writeByte(notice.kind().code());
    writeSender(notice.sender(), out);
    writeSized(notice.body(), out);
  }

  @Override
  Notice read(DataInputView in) throws IOException {
    return new Notice(Kind.of(in.readByte()), readSender(in), readSized(in));
  }

  @Override
  public TypeSerializerSnapshot<Notice> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Notice> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
