package io.palinode.agent.engine;

import static io.palinode.agent.stock.StandInServer.clock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.palinode.agent.stock.StandInServer;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What rides along with messages that know nothing of it: here any of pb0 that has no such field.
 */
class PiggyBackTest {
  private static final int FIELD = 1000;

  @TempDir private Path folder;
  private final Conversation conversation = new Conversation();
  private StandInServer server;
  private PiggyBack piggyBack;

  @BeforeEach
  void open() {
    server = new StandInServer(folder);
    piggyBack = StandInMessages.piggyBack(server.node, server.types);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static Message.Builder request(ByteString context) {
    UnknownFieldSet.Field field =
        UnknownFieldSet.Field.newBuilder().addLengthDelimited(context).build();
    return Pb0.Error.newBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(FIELD, field).build());
  }

  private ResponseContext answered() throws IOException {
    Pb0.VectorClock message = Pb0.VectorClock.newBuilder().setTimestamp(7).build();
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    piggyBack.answer(message, conversation).write(new DataOutputStream(frame));
    ByteBuffer sent = ByteBuffer.wrap(frame.toByteArray());
    assertThat(sent.getInt()).isEqualTo(sent.remaining());
    Pb0.VectorClock answer = Pb0.VectorClock.parseFrom(sent);
    assertThat(answer.getTimestamp()).isEqualTo(7);
    UnknownFieldSet.Field field = answer.getUnknownFields().getField(FIELD);
    assertThat(field.getLengthDelimitedList()).hasSize(1);
    return ResponseContext.parseFrom(field.getLengthDelimitedList().get(0));
  }

  @Test
  void aContextOfAClientIsReadAndAnswered() throws IOException {
    long ahead = server.node.clock().last().own() + 10;
    Hvc known = Hvc.of(Hvc.NO_OWNER, ahead);
    RequestContext context =
        RequestContext.newBuilder()
            .setClient("c1")
            .setEpoch(0)
            .setHvc(ByteString.copyFrom(HvcCodec.encode(known)))
            .build();
    piggyBack.received(request(context.toByteString()), conversation);
    assertThat(conversation.isOurs()).isTrue();
    assertThat(conversation.caller().client()).isEqualTo("c1");
    assertThat(conversation.caller().hvc()).isEqualTo(known);

    ResponseContext answer = answered();
    assertThat(answer.hasAccepts()).isFalse();
    assertThat(answer.getEpoch()).isZero();
    Hvc answered = HvcCodec.decode(answer.getHvc().toByteArray());
    assertThat(answered.own()).isGreaterThan(ahead);
    assertThat(answer.getAcceptedAt()).isZero();
  }

  @Test
  void aWriteIsAnsweredWithItsTime() throws IOException {
    piggyBack.received(request(RequestContext.getDefaultInstance().toByteString()), conversation);
    server.put("disk", "k", "a", clock(0, 1));
    conversation.wrote(server.events.get(0).after());
    assertThat(answered().getAcceptedAt()).isEqualTo(server.events.get(0).after().own());
  }

  @Test
  void aStockClientIsNoneOfOurs() {
    piggyBack.received(Pb0.Error.newBuilder(), conversation);
    assertThat(conversation.isOurs()).isFalse();
    // Nor is what some other program has put there.
    piggyBack.received(request(ByteString.copyFrom(new byte[] {(byte) 0xff})), conversation);
    assertThat(conversation.isOurs()).isFalse();
  }

  @Test
  void whoIsOfAnotherClusterIsAnsweredSo() throws IOException {
    RequestContext context = RequestContext.newBuilder().setOrigin(7).build();
    piggyBack.received(request(context.toByteString()), conversation);
    assertThat(conversation.refused()).isNotNull();
    assertThatThrownBy(conversation::requireKnown).isSameAs(conversation.refused());
    assertThat(answered().hasFence()).isFalse();
  }
}
