package io.palinode.hazelcast.member;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastJsonValue;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import io.palinode.hazelcast.Woven;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryTextTest {
  static {
    Woven.require();
  }

  private static final List<Object> TEXTS =
      List.of(
          "",
          "door",
          "a/b%2F",
          "Türe \u20ac \ud83d\ude00",
          "half \ud83d",
          "\u0000\u0000",
          7,
          -1L,
          2.5,
          'c',
          true,
          UUID.nameUUIDFromBytes(new byte[] {1}),
          new HazelcastJsonValue("{\"a\": 1}"));

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void textsAreReadAsHazelcastReadsThem(boolean isBigEndian) {
    SerializationService serialization =
        new DefaultSerializationServiceBuilder()
            .setByteOrder(isBigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
            .build();
    EntryText text = new EntryText(serialization);
    for (Object each : TEXTS) {
      Data data = serialization.toData(each);
      byte[] expected = serialization.<Object>toObject(data).toString().getBytes(UTF_8);
      assertThat(text.key(data)).as("key %s", each).isEqualTo(expected);
      assertThat(text.value(data)).as("value %s", each).isEqualTo(expected);
      Data again = text.toKey(new String(expected, UTF_8), EntryText.header(data));
      assertThat(again.toByteArray()).as("again %s", each).isEqualTo(data.toByteArray());
    }
  }
}
