package io.palinode.monitor.flink;

import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.InstanceState;
import java.io.IOException;
import java.io.Serial;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The bytes of an {@link Instance}: a u8 = 1, then those of its {@link InstanceState}, sized. An
 * instance changes in its place, so that it need not be read and written for each event; while a
 * checkpoint is written, Flink copies what is touched.
 */
public final class InstanceSerializer extends StableSerializer<Instance> {
  public static final InstanceSerializer INSTANCE = new InstanceSerializer();

  @Serial private static final long serialVersionUID = 1L;

  @Override
  void write(Instance instance, DataOutputView out) throws IOException {
    writeSized(instance.state().encode(), out);
  }

  @Override
  Instance read(DataInputView in) throws IOException {
    return Instance.of(InstanceState.decode(readSized(in)));
  }

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public Instance copy(Instance instance) {
    return instance.copy();
  }

  @Override
  public TypeSerializerSnapshot<Instance> snapshotConfiguration() {
    return new Snapshot();
  }

  /** Written with the state, by its class name. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Instance> {
    public Snapshot() {
      super(() -> INSTANCE);
    }
  }
}
