package io.palinode.voldemort.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FramesTest {
  private static Pb0.VoldemortRequest request(String store, int valueBytes) {
    return Pb0.VoldemortRequest.newBuilder()
        .setType(Pb0.RequestType.GET)
        .setShouldRoute(false)
        .setStore(store)
        .setGet(Pb0.GetRequest.newBuilder().setKey(ByteString.copyFrom(new byte[valueBytes])))
        .build();
  }

  private static byte[] encode(List<Pb0.VoldemortRequest> requests) {
    EmbeddedChannel channel = new EmbeddedChannel(Frames.encoder());
    requests.forEach(channel::writeOutbound);
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      all.writeBytes(part);
      part.release();
    }
    channel.finishAndReleaseAll();
    byte[] bytes = new byte[all.readableBytes()];
    all.readBytes(bytes);
    return bytes;
  }

  @Test
  void frameIsFourBytesOfLengthThenTheMessage() {
    assertThat(HexFormat.of().formatHex(encode(List.of(request("s", 1)))))
        .isEqualTo("0000000c" + "0800" + "1000" + "1a0173" + "2203" + "0a0100");
  }

  @Test
  void messagesComeWholeHoweverTheBytesAreSplit() throws IOException {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<Pb0.VoldemortRequest> sent = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(5); i++) {
        sent.add(request("store" + i, random.nextInt(10) == 0 ? 70_000 : random.nextInt(40)));
      }
      byte[] bytes = encode(sent);
      EmbeddedChannel channel = new EmbeddedChannel(Frames.decoder());
      int mostAtOnce = 1 + random.nextInt(random.nextBoolean() ? 8 : bytes.length);
      for (int at = 0; at < bytes.length; ) {
        int count = Math.min(bytes.length - at, 1 + random.nextInt(mostAtOnce));
        channel.writeInbound(Unpooled.copiedBuffer(bytes, at, count));
        at += count;
      }
      List<Pb0.VoldemortRequest> received = new ArrayList<>();
      for (ByteBuf body = channel.readInbound(); body != null; body = channel.readInbound()) {
        received.add(Frames.parse(body, Pb0.VoldemortRequest.parser()));
        body.release();
      }
      assertThat(received).as("seed %d", seed).isEqualTo(sent);
      assertThat(channel.finishAndReleaseAll()).as("seed %d: left over", seed).isFalse();
    }
  }

  @Test
  void lengthAboveTheLimitAndNegativeLengthFailTheChannel() {
    for (int length : new int[] {Frames.MESSAGE_BYTES_MAX + 1, -1, Integer.MIN_VALUE}) {
      EmbeddedChannel channel = new EmbeddedChannel(Frames.decoder());
      ByteBuf header = Unpooled.buffer().writeInt(length);
      assertThatThrownBy(() -> channel.writeInbound(header)).isInstanceOf(DecoderException.class);
      channel.finishAndReleaseAll();
    }
  }

  @Test
  void emptyMessageIsAFrameOfItsOwn() throws IOException {
    EmbeddedChannel channel = new EmbeddedChannel(Frames.encoder());
    channel.writeOutbound(Pb0.PutResponse.getDefaultInstance());
    ByteBuf frame = channel.readOutbound();
    assertThat(frame.readableBytes()).isEqualTo(4);
    EmbeddedChannel other = new EmbeddedChannel(Frames.decoder());
    other.writeInbound(frame);
    ByteBuf body = other.readInbound();
    assertThat(Frames.parse(body, Pb0.PutResponse.parser()))
        .isEqualTo(Pb0.PutResponse.getDefaultInstance());
    body.release();
    channel.finishAndReleaseAll();
    other.finishAndReleaseAll();
  }

  @Test
  void handshakeIsPlainText() {
    assertThat(Frames.protocol()).isEqualTo(new byte[] {'p', 'b', '0'});
    assertThat(Frames.accepted()).isEqualTo(new byte[] {'o', 'k'});
    assertThat(Frames.refused()).isEqualTo(new byte[] {'n', 'o'});
  }
}
