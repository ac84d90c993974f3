package io.palinode.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ApiClientTest {
  private final ApiClient api = ApiClient.at("http://here");

  private record Node(int id, @Nullable String failure) {}

  private record Cluster(long epoch, List<Node> nodes) {}

  @Test
  void fieldsOfALaterServerAreIgnored() throws JsonProcessingException {
    assertThat(read("{\"epoch\":3,\"new\":{},\"nodes\":[{\"id\":1,\"failure\":null}]}"))
        .isEqualTo(new Cluster(3, List.of(new Node(1, null))));
  }

  @Test
  void aMissingFieldIsNamed() {
    assertThatThrownBy(() -> read("{\"epoch\":3,\"nodes\":[{\"failure\":null}]}"))
        .isInstanceOf(Refusal.class)
        .hasMessage(
            "http://here answers without a readable field 'nodes.[0].id':"
                + " use the palinode command of its release");
  }

  @Test
  void aFieldOfAnotherKindIsNamed() {
    assertThatThrownBy(() -> read("{\"epoch\":\"none\",\"nodes\":[]}"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("'epoch'");
  }

  private Cluster read(String json) throws JsonProcessingException {
    return api.view(ApiClient.JSON.readTree(json), Cluster.class);
  }
}
