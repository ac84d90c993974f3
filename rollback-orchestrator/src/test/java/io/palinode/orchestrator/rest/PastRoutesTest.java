package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.palinode.hvc.Hlc;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.past.PastBackend;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads of the past over the API. */
class PastRoutesTest extends RestFixture {
  private static final String VALUE = "/api/v1/past/value";
  private static final String DIFFERENCES = "/api/v1/past/differences";
  private static final String HISTORY = "/api/v1/past/history";

  private final OpenApiDocument document = OpenApiDocument.read();

  /** Each key but {@code absent} has its name as its value; nothing before 1,000 is in reach. */
  private static final class Nodes implements PastBackend {
    @Override
    public List<Reach> reach() {
      return List.of(new Reach(0, "1000", null), new Reach(1, null, "timeout"));
    }

    @Override
    public Value value(String store, String key, long hlc) throws RefusedException {
      if (hlc < Hlc.ofMicros(1_000)) {
        throw new RefusedException("times from 1000 on can be read");
      }
      return new Value(store, key, Hlc.format(hlc), key.equals("absent") ? null : key);
    }

    @Override
    public Differences differences(String store, long from, long to, String pattern) {
      return new Differences(
          store,
          Hlc.format(from),
          Hlc.format(to),
          false,
          List.of(new Difference(pattern, null, "after", List.of(0, 2))));
    }

    /** One write, named by what was asked. */
    @Override
    public History history(HistoryQuestion asked, LongFunction<List<RollbackSpan>> rollbacks) {
      Span span = asked.span();
      String value = asked.limit() + " of " + rollbacks.apply(0).size() + " rollbacks";
      String before = span.before() == Long.MAX_VALUE ? "1999.5" : null;
      return new History(
          asked.store(),
          asked.key(),
          Hlc.format(span.from() == null ? Hlc.ofMicros(1_000) : span.from()),
          Hlc.format(span.to()),
          before,
          List.of(new KeyWrite("2000", 3, value, null, List.of(0, 2), "undone", 4L)),
          List.of(new Missing(1, "timeout")));
    }
  }

  @BeforeEach
  void startWithNodes() {
    server.close();
    server = new RestServer(RestSettings.DEFAULT.withPast(new Nodes()), backend);
    server.start();
  }

  @Test
  void aValueIsReadAtATime() throws Exception {
    JsonNode found = fitting("GET " + VALUE, VALUE + "?key=a%20b&at=2000.3&store=carts");
    assertThat(found.toString())
        .isEqualTo("{\"store\":\"carts\",\"key\":\"a b\",\"at\":\"2000.3\",\"value\":\"a b\"}");
    JsonNode absent = fitting("GET " + VALUE, VALUE + "?key=absent&at=now");
    assertThat(absent.get("store").asText()).isEqualTo("default");
    assertThat(absent.get("value").isNull()).isTrue();
  }

  @Test
  void twoTimesAreCompared() throws Exception {
    JsonNode found = fitting("GET " + DIFFERENCES, DIFFERENCES + "?from=2000&to=3000&keys=cs_*");
    assertThat(found.get("keys").get(0).get("key").asText()).isEqualTo("cs_*");
    assertThat(found.get("complete").asBoolean()).isFalse();
    JsonNode all = fitting("GET " + DIFFERENCES, DIFFERENCES + "?from=2000&to=now");
    assertThat(all.get("keys").get(0).get("key").asText()).isEqualTo("*");
  }

  @Test
  void theWritesToAKeyAreListedByPages() throws Exception {
    JsonNode first = fitting("GET " + HISTORY, HISTORY + "?key=a%20b&from=1500&to=3000&limit=7");
    assertThat(first.at("/writes/0/value").asText()).isEqualTo("7 of 1 rollbacks");
    assertThat(first.get("from").asText() + first.get("to").asText()).isEqualTo("15003000");
    String next = HISTORY + "?key=a&before=" + first.get("before").asText();
    JsonNode second = fitting("GET " + HISTORY, next);
    assertThat(second.get("from").asText()).as("as far back as the nodes reach").isEqualTo("1000");
    assertThat(second.get("before").isNull()).isTrue();
    for (String query : List.of("", "?key=a&limit=0", "?key=a&limit=1001", "?key=a&before=soon")) {
      assertThat(send("GET", HISTORY + query, "").statusCode()).as(query).isEqualTo(400);
    }
    HttpResponse<String> backwards = send("GET", HISTORY + "?key=a&from=now&to=5", "");
    assertThat(error(backwards)).startsWith("from must not be after to: ");
  }

  @Test
  void aNodeThatDoesNotAnswerHasNoReach() throws Exception {
    JsonNode reach = fitting("GET /api/v1/past/reach", "/api/v1/past/reach");
    assertThat(reach.findValuesAsText("failure")).contains("timeout");
  }

  @Test
  void aRefusedTimeOrQuestionHasItsReason() throws Exception {
    HttpResponse<String> tooEarly = send("GET", VALUE + "?key=a&at=5", "");
    assertThat(tooEarly.statusCode()).isEqualTo(409);
    assertThat(error(tooEarly)).isEqualTo("times from 1000 on can be read");
    for (String query : List.of("?key=a", "?at=now", "?key=a&at=soon")) {
      assertThat(send("GET", VALUE + query, "").statusCode()).as(query).isEqualTo(400);
    }
    HttpResponse<String> backwards = send("GET", DIFFERENCES + "?from=now&to=5", "");
    assertThat(backwards.statusCode()).isEqualTo(400);
    assertThat(error(backwards)).startsWith("from must not be after to: ");
  }

  private JsonNode fitting(String route, String path) throws Exception {
    JsonNode json = get(path);
    JsonNode schema =
        document.operation(route).at("/responses/200/content/application~1json/schema");
    assertThat(document.faults(schema, json)).as("%s", json).isEmpty();
    return json;
  }
}
