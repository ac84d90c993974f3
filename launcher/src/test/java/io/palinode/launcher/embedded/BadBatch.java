package io.palinode.launcher.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * A batch with a right checksum and three records, of which the second declares a size that is not
 * its own. No producer of Kafka makes one.
 */
final class BadBatch {
  /** The last version that names topics by their names. */
  private static final short VERSION = 12;

  private static final int RECORDS = 3;
  private static final int CAPACITY = 1_000;

  /** Of a batch: its length counts from here, its checksum from there. */
  private static final int LENGTH_FROM = 12;

  private static final int CHECKSUM_AT = 17;
  private static final int CHECKSUM_FROM = 21;

  private BadBatch() {}

  /** Sends the batch as a client in another language could. Returns the broker's answer. */
  static Errors send(
      String bootstrapServers, String topic, CompressionType compression, int declaredMore)
      throws IOException {
    PartitionProduceData partition =
        new PartitionProduceData()
            .setIndex(0)
            .setRecords(MemoryRecords.readableRecords(batch(compression, declaredMore)));
    ProduceRequestData data =
        new ProduceRequestData()
            .setAcks((short) -1)
            .setTimeoutMs(10_000)
            .setTopicData(
                new TopicProduceDataCollection(
                    List.of(
                            new TopicProduceData()
                                .setName(topic)
                                .setPartitionData(List.of(partition)))
                        .iterator()));
    RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, VERSION, "bad", 1);
    ByteBuffer request = new ProduceRequest(data, VERSION).serializeWithHeader(header);
    ProduceResponse response = (ProduceResponse) exchange(bootstrapServers, request, header);
    return Errors.forCode(
        response.data().responses().iterator().next().partitionResponses().get(0).errorCode());
  }

  private static AbstractResponse exchange(
      String bootstrapServers, ByteBuffer request, RequestHeader header) throws IOException {
    int colon = bootstrapServers.lastIndexOf(':');
    int port = Integer.parseInt(bootstrapServers.substring(colon + 1));
    try (Socket socket = new Socket(bootstrapServers.substring(0, colon), port);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream())) {
      byte[] bytes = new byte[request.remaining()];
      request.get(bytes);
      out.writeInt(bytes.length);
      out.write(bytes);
      out.flush();
      return AbstractResponse.parseResponse(ByteBuffer.wrap(in.readNBytes(in.readInt())), header);
    }
  }

  private static ByteBuffer batch(CompressionType type, int declaredMore) throws IOException {
    long now = System.currentTimeMillis();
    ByteBuffer batch = ByteBuffer.allocate(CAPACITY);
    batch.putLong(0).putInt(0).putInt(-1).put(RecordBatch.CURRENT_MAGIC_VALUE).putInt(0);
    batch.putShort((short) type.id).putInt(RECORDS - 1).putLong(now).putLong(now);
    batch.putLong(-1).putShort((short) -1).putInt(-1).putInt(RECORDS);
    batch.put(compressed(type, declaredMore));
    batch.putInt(LENGTH_FROM - Integer.BYTES, batch.position() - LENGTH_FROM);
    CRC32C checksum = new CRC32C();
    checksum.update(batch.duplicate().flip().position(CHECKSUM_FROM));
    batch.putInt(CHECKSUM_AT, (int) checksum.getValue());
    return batch.flip();
  }

  private static byte[] compressed(CompressionType type, int declaredMore) throws IOException {
    ByteBufferOutputStream bytes = new ByteBufferOutputStream(CAPACITY);
    try (DataOutputStream out =
        new DataOutputStream(
            Compression.of(type).build().wrapForOutput(bytes, RecordBatch.CURRENT_MAGIC_VALUE))) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] record = record(i);
        ByteUtils.writeVarint(record.length + (i == 1 ? declaredMore : 0), out);
        out.write(record);
      }
    }
    ByteBuffer written = bytes.buffer().flip();
    byte[] all = new byte[written.remaining()];
    written.get(all);
    return all;
  }

  /** Attributes, time, offset, a key and a value of 3 bytes, and no headers. */
  private static byte[] record(int offset) {
    ByteBuffer record = ByteBuffer.allocate(CAPACITY);
    record.put((byte) 0).put((byte) 0);
    ByteUtils.writeVarint(offset, record);
    ByteUtils.writeVarint(3, record);
    record.put("bad".getBytes(UTF_8));
    ByteUtils.writeVarint(3, record);
    record.put("bad".getBytes(UTF_8));
    ByteUtils.writeVarint(0, record);
    byte[] bytes = new byte[record.position()];
    record.flip().get(bytes);
    return bytes;
  }
}
