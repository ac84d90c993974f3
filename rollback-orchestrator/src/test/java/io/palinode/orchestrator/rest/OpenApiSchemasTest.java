package io.palinode.orchestrator.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.Grade;
import io.palinode.orchestrator.Command;
import io.palinode.orchestrator.alert.TestedDestination;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.Wait;
import io.palinode.orchestrator.history.RollbackProgress;
import io.palinode.orchestrator.plan.Rollback;
import io.palinode.orchestrator.rest.access.UserView;
import io.palinode.orchestrator.rest.events.StreamStart;
import io.palinode.orchestrator.rest.past.DiscardedView;
import io.palinode.orchestrator.rest.past.PastBackend;
import io.palinode.orchestrator.rest.predicate.PredicateCheck;
import io.palinode.orchestrator.rest.predicate.PredicateView;
import io.palinode.orchestrator.rest.problem.Problem;
import io.palinode.orchestrator.rest.problem.ProblemCode;
import io.palinode.orchestrator.snapshot.NodePart;
import io.palinode.orchestrator.snapshot.Snapshot;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schemas of the description are those of the records, and real answers fit them. */
class OpenApiSchemasTest extends RestFixture {
  private static final String REF = "#/components/schemas/";

  /** Records that the server writes: each has all its fields. */
  private static final Map<String, Class<?>> ANSWERS =
      Map.ofEntries(
          Map.entry("Problem", Problem.class),
          Map.entry("Predicate", PredicateView.class),
          Map.entry("PredicateCheck", PredicateCheck.class),
          Map.entry("CheckedPredicate", PredicateCheck.Checked.class),
          Map.entry("PredicateTopic", PredicateCheck.TopicView.class),
          Map.entry("LintFinding", PredicateCheck.LintFinding.class),
          Map.entry("Reach", PastBackend.Reach.class),
          Map.entry("PastValue", PastBackend.Value.class),
          Map.entry("PastDifferences", PastBackend.Differences.class),
          Map.entry("PastDifference", PastBackend.Difference.class),
          Map.entry("KeyHistory", PastBackend.History.class),
          Map.entry("KeyWrite", PastBackend.KeyWrite.class),
          Map.entry("MissingNode", PastBackend.Missing.class),
          Map.entry("User", UserView.class),
          Map.entry("Neighbourhood", Views.NeighbourhoodView.class),
          Map.entry("Violation", Views.ViolationView.class),
          Map.entry("ViolationWitness", Views.WitnessView.class),
          Map.entry("WitnessValue", Views.ValueView.class),
          Map.entry("Rollback", Views.RollbackView.class),
          Map.entry("RollbackAct", Views.ActView.class),
          Map.entry("OneRollback", OneRollbackView.class),
          Map.entry("RollbackNode", OneRollbackView.NodeView.class),
          Map.entry("Effect", EffectView.class),
          Map.entry("EffectSize", EffectView.Size.class),
          Map.entry("EffectNode", EffectView.NodeView.class),
          Map.entry("Discarded", DiscardedView.class),
          Map.entry("DiscardedSpan", DiscardedView.SpanView.class),
          Map.entry("DiscardedPart", DiscardedView.PartView.class),
          Map.entry("Node", Views.NodeView.class),
          Map.entry("Status", Views.StatusView.class),
          Map.entry("CoverageGap", Views.UnknownView.class),
          Map.entry("Sequential", Views.SequentialView.class),
          Map.entry("SequentialInstance", Views.SequentialInstanceView.class),
          Map.entry("Approval", Views.ApprovalView.class),
          Map.entry("Budget", Views.BudgetView.class),
          Map.entry("Wait", WaitView.class),
          Map.entry("Finding", Views.FindingView.class),
          Map.entry("Health", Views.Health.class),
          Map.entry("Probe", Views.Probe.class),
          Map.entry("StreamStart", StreamStart.class),
          Map.entry("Snapshot", SnapshotView.class),
          Map.entry("SnapshotPart", SnapshotView.PartView.class),
          Map.entry("SnapshotSchedule", ScheduleView.class),
          Map.entry("TestedDestination", TestedDestination.class));

  /** Records that the server reads: fields may be absent. */
  private static final Map<String, Class<?>> BODIES =
      Map.of(
          "RollbackRequest", RollbackRoutes.Wanted.class,
          "RollbackKey", RollbackRoutes.WantedKey.class,
          "SnapshotRequest", SnapshotRoutes.Wanted.class,
          "AlertTest", RestServer.AlertTest.class,
          "SnapshotScheduleRequest", ScheduleView.class);

  /** Schemas without a record. */
  private static final Set<String> OTHERS = Set.of("Hlc", "WitnessFile");

  private static final Map<String, Class<? extends Enum<?>>> ENUMS =
      Map.of(
          "Problem.code", ProblemCode.class,
          "Violation.grade", Grade.class,
          "Finding.level", Finding.Level.class,
          "Violation.outcome", Command.Outcome.class,
          "WitnessFile.grade", Grade.class,
          "Rollback.state", Rollback.State.class,
          "RollbackNode.done", RollbackProgress.Done.class,
          "Wait.reason", Wait.Reason.class,
          "Snapshot.state", Snapshot.Phase.class,
          "SnapshotPart.state", NodePart.State.class);

  private static final String PREDICATE =
      "{apiVersion: palinode.io/v1, kind: Predicate, metadata: {name: p}, spec: {violation: [{all:"
          + " [{var: x, equals: \"1\"}, {var: y, equals: \"1\"}]}]}}";

  private final OpenApiDocument document = OpenApiDocument.read();

  @Test
  void everySchemaIsThatOfARecord() {
    Set<String> known = new TreeSet<>(OTHERS);
    known.addAll(ANSWERS.keySet());
    known.addAll(BODIES.keySet());
    Set<String> described = new TreeSet<>();
    document.schemas().fieldNames().forEachRemaining(described::add);
    assertThat(described).isEqualTo(known);
  }

  @Test
  void anAnswerHasTheFieldsOfItsRecordAllRequired() {
    ANSWERS.forEach(
        (name, record) -> {
          JsonNode schema = document.schemas().path(name);
          JsonNode own = schema.path("allOf").isEmpty() ? schema : schema.path("allOf").path(1);
          Map<String, String> types = types(record);
          assertThat(described(own)).as(name).isEqualTo(types);
          assertThat(required(own)).as(name).isEqualTo(types.keySet());
        });
  }

  @Test
  void anAnswerThatExtendsAnotherNamesIt() {
    RecordComponent whole = OneRollbackView.class.getRecordComponents()[0];
    assertThat(whole.getAccessor().isAnnotationPresent(JsonUnwrapped.class)).isTrue();
    assertThat(document.schemas().at("/OneRollback/allOf/0/$ref").asText())
        .isEqualTo(REF + "Rollback");
  }

  @Test
  void aBodyHasTheFieldsOfItsRecordAndNoOther() {
    BODIES.forEach(
        (name, record) -> {
          JsonNode schema = document.schemas().path(name);
          assertThat(described(schema)).as(name).isEqualTo(types(record));
          assertThat(schema.path("additionalProperties").asBoolean(true)).as(name).isFalse();
        });
  }

  @Test
  void aClosedSetOfWordsIsThatOfItsEnum() {
    ENUMS.forEach(
        (field, constants) -> {
          String path = "/" + field.replace(".", "/properties/") + "/enum";
          Set<String> words =
              OpenApiDocument.items(document.schemas().at(path))
                  .filter(word -> !word.isNull())
                  .map(JsonNode::asText)
                  .collect(Collectors.toSet());
          assertThat(words)
              .as(field)
              .isEqualTo(
                  Arrays.stream(constants.getEnumConstants())
                      .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                      .map(word -> field.equals("Problem.code") ? word.replace('_', '-') : word)
                      .collect(Collectors.toSet()));
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PUT /api/v1/predicates | /api/v1/predicates | PREDICATE | 200",
        "PUT /api/v1/predicates | /api/v1/predicates | [ | 400",
        "PUT /api/v1/predicates/{name} | /api/v1/predicates/p | PREDICATE | 200",
        "GET /api/v1/predicates | /api/v1/predicates | | 200",
        "GET /api/v1/predicates/{name} | /api/v1/predicates/p | | 200",
        "GET /api/v1/predicates/{name} | /api/v1/predicates/q | | 404",
        "POST /api/v1/predicates/check | /api/v1/predicates/check | PREDICATE | 200",
        "POST /api/v1/predicates/check | /api/v1/predicates/check | [ | 400",
        "GET /api/v1/past/reach | /api/v1/past/reach | | 409",
        "GET /api/v1/past/value | /api/v1/past/value?key=a&at=-1s | | 409",
        "GET /api/v1/past/value | /api/v1/past/value?key=a | | 400",
        "GET /api/v1/past/differences | /api/v1/past/differences?from=now&to=-1s | | 400",
        "GET /api/v1/me | /api/v1/me | | 200",
        "GET /api/v1/violations | /api/v1/violations | | 200",
        "GET /api/v1/violations/{id} | /api/v1/violations/v1 | | 200",
        "GET /api/v1/violations/{id}/witness | /api/v1/violations/v1/witness | | 200",
        "GET /api/v1/violations/{id}/neighbourhood | /api/v1/violations/v1/neighbourhood | | 200",
        "GET /api/v1/rollbacks | /api/v1/rollbacks | | 200",
        "GET /api/v1/rollbacks/{id} | /api/v1/rollbacks/1 | | 200",
        "GET /api/v1/rollbacks/{id}/discarded | /api/v1/rollbacks/1/discarded | | 409",
        "POST /api/v1/rollbacks | /api/v1/rollbacks | {\"to\": \"800\"} | 202",
        "POST /api/v1/rollbacks/plan | /api/v1/rollbacks/plan | {\"to\": \"800\"} | 200",
        "POST /api/v1/rollbacks/plan | /api/v1/rollbacks/plan | {\"plan\": \"abc\"} | 200",
        "POST /api/v1/rollbacks/plan | /api/v1/rollbacks/plan | {\"snapshot\": \"old\"} | 200",
        "POST /api/v1/rollbacks/{id}/retry | /api/v1/rollbacks/1/retry | | 409",
        "GET /api/v1/snapshots | /api/v1/snapshots | | 200",
        "POST /api/v1/snapshots | /api/v1/snapshots | {\"name\": \"two\"} | 202",
        "GET /api/v1/snapshots/{id} | /api/v1/snapshots/one | | 200",
        "POST /api/v1/snapshots/{id}/cancel | /api/v1/snapshots/one/cancel | | 202",
        "GET /api/v1/snapshot-schedule | /api/v1/snapshot-schedule | | 200",
        "PUT /api/v1/snapshot-schedule | /api/v1/snapshot-schedule | {\"keep\": 6} | 202",
        "GET /api/v1/nodes | /api/v1/nodes | | 200",
        "GET /api/v1/status | /api/v1/status | | 200",
        "POST /api/v1/coverage/acknowledge | /api/v1/coverage/acknowledge | | 200",
        "GET /api/v1/doctor | /api/v1/doctor | | 200",
        "POST /api/v1/alerts/test | /api/v1/alerts/test | | 200",
        "GET /metrics | /metrics | | 404",
        "GET /healthz | /healthz | | 200",
        "GET /livez | /livez | | 200",
        "GET /readyz | /readyz | | 200",
      })
  void aRealAnswerFits(String route, String path, @Nullable String body, int status)
      throws Exception {
    backend.witnessText = PREDICATE;
    backend.waits = List.of(new Wait(Wait.Reason.NODE, 1, 5, "node 1 publishes nothing", "look"));
    var unused = send("PUT", "/api/v1/predicates", PREDICATE);
    unused = send("POST", "/api/v1/snapshots", "{\"name\": \"one\"}");
    String method = route.substring(0, route.indexOf(' '));
    String sent = body == null ? "" : body.replace("PREDICATE", PREDICATE);
    HttpResponse<String> answer = send(method, path, sent);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    JsonNode responses = document.operation(route).path("responses");
    JsonNode content = document.resolved(responses.path(Integer.toString(status))).path("content");
    String header = answer.headers().firstValue("Content-Type").orElseThrow();
    String type = header.replaceFirst(";charset=utf-8$", "");
    assertThat(content.has(type)).as("%s answers %s with %s", route, status, type).isTrue();
    JsonNode json = new ObjectMapper().readTree(answer.body());
    assertThat(document.faults(content.path(type).path("schema"), json)).as("%s", json).isEmpty();
  }

  /** The JSON type of each field; {@code ?} at the end of one that may be null. */
  private Map<String, String> types(Class<?> record) {
    Map<String, String> types = new TreeMap<>();
    for (RecordComponent component : record.getRecordComponents()) {
      if (!component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        types.put(component.getName(), type(component.getAnnotatedType()));
      }
    }
    return types;
  }

  private String type(AnnotatedType annotated) {
    String suffix = annotated.isAnnotationPresent(Nullable.class) ? "?" : "";
    if (annotated instanceof AnnotatedParameterizedType generic) {
      AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
      String last = type(arguments[arguments.length - 1]);
      return (arguments.length == 1 ? "array of " : "object of ") + last + suffix;
    }
    Class<?> type = (Class<?>) annotated.getType();
    if (type == long.class || type == Long.class || type == int.class || type == Integer.class) {
      return "integer" + suffix;
    } else if (type == double.class || type == Double.class) {
      return "number" + suffix;
    } else if (type == boolean.class || type == Boolean.class) {
      return "boolean" + suffix;
    } else if (type == String.class) {
      return "string" + suffix;
    }
    Map<Class<?>, String> names = new HashMap<>();
    ANSWERS.forEach((name, record) -> names.put(record, name));
    names.put(RollbackRoutes.WantedKey.class, "RollbackKey");
    return names.get(type) + suffix;
  }

  private Map<String, String> described(JsonNode object) {
    Map<String, String> types = new TreeMap<>();
    object.path("properties").properties().forEach(p -> types.put(p.getKey(), type(p.getValue())));
    return types;
  }

  private String type(JsonNode schema) {
    if (schema.has("anyOf")) {
      assertThat(schema.at("/anyOf/1/type").asText()).isEqualTo("null");
      return type(schema.at("/anyOf/0")) + "?";
    }
    if (schema.has("$ref")) {
      String name = schema.get("$ref").asText().substring(REF.length());
      return name.equals("Hlc") ? "string" : name;
    }
    JsonNode type = schema.path("type");
    String suffix = type.isArray() && type.path(1).asText().equals("null") ? "?" : "";
    String word = type.isArray() ? type.path(0).asText() : type.asText();
    return switch (word) {
      case "array" -> "array of " + type(schema.path("items")) + suffix;
      case "object" -> "object of " + type(schema.path("additionalProperties")) + suffix;
      default -> word + suffix;
    };
  }

  private static Set<String> required(JsonNode object) {
    return OpenApiDocument.items(object.path("required"))
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
