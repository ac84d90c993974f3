package io.palinode.monitor.flink;

import io.palinode.monitor.Channel;
import io.palinode.monitor.Sender;
import io.palinode.monitor.Stamp;
import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Bytes that stay the same from version to version: each value is a version byte and then what the
 * subclass draws. Integers are big-endian; a {@code sized} is an i32 and so many bytes. Another
 * layout needs another version byte, and another {@code DetectionJob.STATE_VERSION}.
 */
abstract class StableSerializer<T> extends TypeSerializerSingleton<T> {
  @Serial private static final long serialVersionUID = 1L;

  private static final byte VERSION = 1;

  abstract void write(T value, DataOutputView out) throws IOException;

  abstract T read(DataInputView in) throws IOException;

  @Override
  public final void serialize(T value, DataOutputView out) throws IOException {
    out.writeByte(VERSION);
    write(value, out);
  }

  @Override
  public final T deserialize(DataInputView in) throws IOException {
    byte version = in.readByte();
    if (version != VERSION) {
      throw new IOException("a value must be of version 1: version=" + version);
    }
    return read(in);
  }

  @Override
  public final T deserialize(T reuse, DataInputView in) throws IOException {
    return deserialize(in);
  }

  @Override
  public void copy(DataInputView in, DataOutputView out) throws IOException {
    serialize(deserialize(in), out);
  }

  @Override
  public T createInstance() {
    throw new UnsupportedOperationException("values are not made to be filled in");
  }

  /** Values never change, unless a subclass says otherwise. */
  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public T copy(T value) {
    return value;
  }

  @Override
  public final T copy(T value, T reuse) {
    return copy(value);
  }

  @Override
  public final int getLength() {
    return -1;
  }

  static void writeSized(byte[] bytes, DataOutputView out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static byte[] readSized(DataInputView in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  /** As {@code partition i32, node i32, incarnation i64, epoch i64}. */
  static void writeSender(Sender sender, DataOutputView out) throws IOException {
    writeChannel(sender.channel(), out);
    out.writeLong(sender.incarnation());
    out.writeLong(sender.epoch());
  }

  static Sender readSender(DataInputView in) throws IOException {
    return new Sender(readChannel(in), in.readLong(), in.readLong());
  }

  static void writeChannel(Channel channel, DataOutputView out) throws IOException {
    out.writeInt(channel.partition());
    out.writeInt(channel.node());
  }

  static Channel readChannel(DataInputView in) throws IOException {
    return new Channel(in.readInt(), in.readInt());
  }

  static void writeStamp(Stamp stamp, DataOutputView out) throws IOException {
    out.writeLong(stamp.hlc());
    writeSized(stamp.clock(), out);
  }

  static Stamp readStamp(DataInputView in) throws IOException {
    return new Stamp(in.readLong(), readSized(in));
  }

  static void writeText(String text, DataOutputView out) throws IOException {
    writeSized(text.getBytes(StandardCharsets.UTF_8), out);
  }

  static String readText(DataInputView in) throws IOException {
    return new String(readSized(in), StandardCharsets.UTF_8);
  }
}
