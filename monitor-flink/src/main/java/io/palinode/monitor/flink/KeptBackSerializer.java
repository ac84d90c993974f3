package io.palinode.monitor.flink;

import io.palinode.monitor.CandidateEvent;
import io.palinode.monitor.Channel;
import io.palinode.monitor.sequence.KeptBack;
import java.io.IOException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of a {@link KeptBack.State}, in the sequence check's state.
 *
 * <pre>
 * +--------+-----------+------+-------+-------------+----------+-------+-------------+
 * | u8 = 1 | partition | node | count | incarnation | sequence | waits | waits since |
 * |        | i32       | i32  | i64   | i64         | i64      | u8    | i64         |
 * +--------+-----------+------+-------+-------------+----------+-------+-------------+
 * | i32 holes, each: first i64, last i64 | i32 events, each a {@link CandidateEventSerializer} |
 * +--------------------------------------+-----------------------------------------------------+
 * </pre>
 */
public final class KeptBackSerializer extends StableSerializer<KeptBack.State> {
  public static final KeptBackSerializer INSTANCE = new KeptBackSerializer();

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(KeptBack.State state, DataOutputView out) throws IOException {
    writeChannel(state.channel(), out);
    out.writeLong(state.observed());
    KeptBack.Missing missing = state.missing();
    out.writeLong(missing.incarnation());
    out.writeLong(missing.sequence());
    out.writeBoolean(missing.waits());
    out.writeLong(missing.waitsSince());
    out.writeInt(missing.holes().size());
    for (KeptBack.Hole hole : missing.holes()) {
      out.writeLong(hole.first());
      out.writeLong(hole.last());
    }
    out.writeInt(state.events().size());
    for (CandidateEvent event : state.events()) {
      CandidateEventSerializer.INSTANCE.serialize(event, out);
    }
  }

  @Override
  KeptBack.State read(DataInputView in) throws IOException {
    Channel channel = readChannel(in);
    long observed = in.readLong();
    long incarnation = in.readLong();
    long sequence = in.readLong();
    boolean waits = in.readBoolean();
    long waitsSince = in.readLong();
    List<KeptBack.Hole> holes = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      holes.add(new KeptBack.Hole(in.readLong(), in.readLong()));
    }
    List<CandidateEvent> events = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      events.add(CandidateEventSerializer.INSTANCE.deserialize(in));
    }
    return new KeptBack.State(
        channel,
        observed,
        new KeptBack.Missing(incarnation, sequence, waits, waitsSince, holes),
        events);
  }

  @Override
  public TypeSerializerSnapshot<KeptBack.State> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<KeptBack.State> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
