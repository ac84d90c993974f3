package io.palinode.cli;

import static io.palinode.cli.RealParts.BOUND;
import static io.palinode.cli.RealParts.STORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.palinode.hvc.Hlc;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.RolledBackException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console in a real browser, over a real cluster. */
class ConsoleIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final double HLC_COUNTS = 4_096;
  private static final Offset<Double> PIXEL = Offset.offset(0.01);

  @TempDir private static Path folder;
  private static @Nullable RealParts started;

  private RealParts parts;
  private Browser browser;

  @BeforeEach
  void start(@TempDir Path home) {
    assumeTrue(
        Browser.isInstalled(),
        "no chromium: install Debian's packages chromium and chromium-driver");
    if (started == null) {
      started = RealParts.start(folder);
    }
    parts = started;
    browser = new Browser(home);
    browser.open(parts.plane().apiUrl());
    browser.awaitText("3 of 3");
  }

  @AfterEach
  void closeBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  @AfterAll
  static void stop() {
    if (started != null) {
      started.close();
    }
  }

  @Test
  void aPersonAppliesAPredicateSeesItsViolationAndUndoesItsRollback() throws Exception {
    browser.awaitText("Nothing is watched: no predicate is in force.");
    browser.awaitText("palinode apply -f edge-mutex.yaml");

    browser.click("apply a predicate");
    browser.awaitText("No predicate is in force, so nothing is watched.");
    browser.run("document.getElementById('text').value += 'x: 1';");
    browser.click("Apply");
    browser.awaitText("unknown field 'x'");
    browser.run(
        "const text = document.getElementById('text');"
            + " text.value = text.value.replace('x: 1', '');");
    browser.click("Check");
    browser.awaitText("edge-mutex would be new");
    browser.awaitText("rollback-may-flap");
    assertThat(browser.text()).doesNotContain("unknown field 'x'");
    browser.run("document.getElementById('checked').scrollIntoView()");
    browser.picture("predicate-check");
    assertThat(api("/api/v1/predicates")).isEmpty();
    browser.click("Apply");
    browser.awaitText("In force: edge-mutex version 1.");

    write("cs_1_2_1", "1");
    write("cs_1_2_1", "0");
    browser.click("Violations");
    browser.awaitText("No violation yet.");
    violate();
    browser.awaitText("edge-mutex a=1,b=2");
    browser.awaitText("definite");
    String id = api("/api/v1/violations").get(0).get("id").asText();
    assertThat(browser.run("return document.querySelector('.space a').hash").asText())
        .isEqualTo("#/violations/" + id);

    browser.run("document.querySelector('.space a').click()");
    browser.awaitText("target of rollback 1");
    browser.awaitText("definite: term ");
    assertDiagramShows(api("/api/v1/violations/" + id + "/witness"));
    assertThat(download("Witness (JSON)")).startsWith("{").contains(id);
    assertThat(download("ShiViz log"))
        .startsWith("(?<event>")
        .contains("cs_1_2_1 = 1")
        .doesNotContain("nearby: term");
    assertThat(download("ShiViz log with the neighbourhood"))
        .startsWith("(?<event>")
        .contains("nearby: term", "\nearlier - {");
    assertNeighbourhoodShows(id);

    browser.run(
        "[...document.querySelectorAll('.facts a')].find((one) =>"
            + " one.hash === '#/rollbacks/1').click()");
    browser.awaitText("Phases by node");
    assertThat(browser.run("return document.querySelectorAll('.phases').length").asInt())
        .isEqualTo(RealParts.NODES);
    assertPastShows(id);
    browser.run("location.hash = '#/rollbacks/1'");
    browser.click("Undo this rollback…");
    browser.awaitText("Writes to discard");
    JsonNode plan = browser.run("return document.querySelector('dialog').innerText");
    assertThat(plan.asText()).contains("Expected pause", "By node, each copy counts");
    browser.click("Roll back now");
    browser.awaitText("Rollback 2");
    await("the undo ends").atMost(BOUND).until(() -> parts.ended().size() == 2);
    browser.awaitText("rollback 1");
    assertThat(api("/api/v1/rollbacks/2").get("undoes").asInt()).isEqualTo(1);
    assertThat(api("/api/v1/rollbacks/1").get("undoneBy").asInt()).isEqualTo(2);
  }

  private void write(String key, String value) {
    try (StoreClient client = parts.client("earlier")) {
      client.store(STORE).put(key, value);
    }
  }

  /** The write before has an interval too, as dashed bars and in a table that takes the focus. */
  private void assertNeighbourhoodShows(String id) throws Exception {
    browser.click("Show the neighbourhood");
    browser.awaitText("of this instance from");
    JsonNode near = api("/api/v1/violations/" + id + "/neighbourhood");
    assertThat(near.get("complete").asBoolean()).isTrue();
    List<String> starts = new ArrayList<>();
    near.get("intervals")
        .forEach(one -> starts.add(one.get("start").get(one.get("node").asInt()).asText()));
    assertThat(near.get("intervals").findValuesAsText("writer")).contains("earlier");
    JsonNode drawn =
        browser.run(
            "return {starts: [...document.querySelectorAll('.other rect')]"
                + ".map((one) => one.dataset.start),"
                + " rows: document.querySelectorAll('#near tbody tr').length,"
                + " focus: document.activeElement.id,"
                + " witnesses: document.querySelectorAll('.interval:not(.other)').length}");
    assertThat(drawn.get("starts")).extracting(JsonNode::asText).isEqualTo(starts);
    assertThat(drawn.get("rows").asInt()).isEqualTo(starts.size());
    assertThat(drawn.get("focus").asText()).isEqualTo("near");
    assertThat(drawn.get("witnesses").asInt()).isEqualTo(2);
  }

  /** The link of a key leads to its value, and a comparison shows what the rollback discarded. */
  private void assertPastShows(String id) throws Exception {
    browser.run("location.hash = '#/violations/" + id + "'");
    browser.awaitText("Right before it:");
    browser.click("cs_1_2_1");
    browser.awaitText("How far back each node can be read");
    browser.click("Look up");
    browser.awaitText("Value\n1");
    assertHistoryShows();
    JsonNode violation = api("/api/v1/violations/" + id);
    long violate = Hlc.micros(Hlc.parse(violation.get("violate").asText()));
    browser.run(
        "document.getElementById('from').value = args[0];"
            + "document.getElementById('to').value = args[1];"
            + "document.getElementById('keys').value = 'cs_1_*';",
        Long.toString(violate - 1),
        Long.toString(violate + 1));
    browser.click("Compare");
    browser.awaitText("1 difference between");
    browser.awaitText("cs_1_2_2\tabsent\t1");
    browser.picture("past");
    browser.run("document.getElementById('at').value = '-100d'");
    browser.click("Look up");
    browser.awaitText("can be read");
  }

  /** Each write once, with what became of it, and pages of it. */
  private void assertHistoryShows() throws Exception {
    browser.click("History");
    browser.awaitText("3 writes to cs_1_2_1 between");
    JsonNode all = api("/api/v1/past/history?key=cs_1_2_1");
    assertThat(all.get("writes").findValuesAsText("value")).containsExactly("1", "0", "1");
    assertThat(all.get("writes").findValuesAsText("client"))
        .containsExactly("c", "earlier", "earlier");
    String path = "/api/v1/past/history?key=cs_1_2_1&limit=2";
    JsonNode first = api(path);
    JsonNode second = api(path + "&before=" + first.get("before").asText());
    List<String> paged = new ArrayList<>(first.get("writes").findValuesAsText("at"));
    paged.addAll(second.get("writes").findValuesAsText("at"));
    assertThat(paged).isEqualTo(all.get("writes").findValuesAsText("at"));
    assertThat(second.get("before").isNull()).isTrue();
    browser.picture("history");
    browser.run("document.getElementById('key').value = 'cs_1_2_2'");
    browser.click("History");
    browser.awaitText("1 write to cs_1_2_2 between");
    browser.awaitText("undone by rollback 1");
    browser.prefer("dark");
    browser.picture("history-dark");
    browser.prefer("light");
    browser.run("document.getElementById('key').value = 'absent'");
    browser.click("History");
    browser.awaitText("No write to absent between");
    browser.run("document.getElementById('key').value = 'cs_1_2_1'");
  }

  private void violate() {
    try (StoreClient client = parts.client("c")) {
      client.store(STORE).put("cs_1_2_1", "1");
      client.store(STORE).put("cs_1_2_2", "1");
    } catch (RolledBackException e) {
      // The rollback came before the answer.
    }
  }

  /** Number by number: node, clock and place of each interval, edge and mark. */
  private void assertDiagramShows(JsonNode witness) {
    JsonNode drawn =
        browser.run(
            "while (!document.querySelector('.interval rect'))"
                + " await new Promise(requestAnimationFrame);"
                + "const root = document.querySelector('.diagram');"
                + "const data = (one) => ({...one.dataset, x: Number(one.getAttribute('x')),"
                + " width: Number(one.getAttribute('width')), x1: Number(one.getAttribute('x1'))});"
                + "const all = (what) => [...root.querySelectorAll(what)].map(data);"
                + "return {view: data(root), pixels: root.clientWidth, left:"
                + " Number(root.querySelector('clipPath rect').getAttribute('x')),"
                + " intervals: all('.interval rect'), edges: all('.edge path[data-hlc]'),"
                + " marks: all('.mark line')}");
    JsonNode intervals = witness.get("intervals");
    assertThat(drawn.get("intervals")).hasSize(intervals.size());
    int entries = 0;
    for (int i = 0; i < intervals.size(); i++) {
      JsonNode interval = intervals.get(i);
      JsonNode rect = drawn.get("intervals").get(i);
      int node = interval.get("node").asInt();
      String start = interval.get("start").get(node).asText();
      assertThat(rect.get("node").asInt()).isEqualTo(node);
      assertThat(rect.get("term").asInt()).isEqualTo(interval.get("term").asInt());
      assertThat(rect.get("start").asText()).isEqualTo(start);
      assertPlace(drawn, rect.get("x").asDouble(), start, witness);
      double right = rect.get("x").asDouble() + rect.get("width").asDouble();
      JsonNode end = interval.get("end");
      if (end == null) {
        assertThat(rect.has("end")).isFalse();
        assertThat(right).isCloseTo(drawn.get("pixels").asDouble(), PIXEL);
      } else {
        String ended = end.get(interval.get("endNode").asInt()).asText();
        assertThat(rect.get("end").asText()).isEqualTo(ended);
        assertPlace(drawn, right, ended, witness);
      }
      for (int other = 0; other < interval.get("start").size(); other++) {
        if (other != node) {
          assertThat(drawn.get("edges").get(entries++).get("hlc").asText())
              .isEqualTo(interval.get("start").get(other).asText());
        }
      }
    }
    assertThat(drawn.get("edges")).hasSize(entries);
    assertThat(drawn.get("marks")).hasSize(3);
    for (JsonNode mark : drawn.get("marks")) {
      assertPlace(drawn, mark.get("x1").asDouble(), mark.get("hlc").asText(), witness);
    }
    assertThat(drawn.get("marks").findValuesAsText("hlc"))
        .contains(witness.get("first").asText(), witness.get("violate").asText());
  }

  /** The pixel of an HLC is where the diagram's own span of time puts it. */
  private static void assertPlace(JsonNode drawn, double x, String hlc, JsonNode witness) {
    double from = drawn.get("view").get("from").asDouble();
    double to = drawn.get("view").get("to").asDouble();
    double left = drawn.get("left").asDouble();
    long base = Hlc.micros(Hlc.parse(witness.get("first").asText()));
    long parsed = Hlc.parse(hlc);
    double at = Hlc.micros(parsed) - base + Hlc.counter(parsed) / HLC_COUNTS;
    double pixels = drawn.get("pixels").asDouble() - left;
    assertThat(x).as(hlc).isCloseTo(left + (at - from) / (to - from) * pixels, PIXEL);
  }

  /** What the button of a file would save. */
  private String download(String button) {
    return browser
        .run(
            "const blobs = []; const make = URL.createObjectURL;"
                + "URL.createObjectURL = (blob) => { blobs.push(blob); return make(blob); };"
                + "[...document.querySelectorAll('button')]"
                + ".find((one) => one.textContent === args[0]).click();"
                + "while (blobs.length === 0) await new Promise(requestAnimationFrame);"
                + "return blobs[0].text();",
            button)
        .asText();
  }

  @Test
  void tenThousandViolationsAreAFewRowsAndScrollWithoutAPause() {
    JsonNode list =
        browser.run(
            "const {windowed} = await import('/console/windowed.js');"
                + "const items = Array.from({length: 10000}, (unused, index) => 'row ' + index);"
                + "const list = windowed('rows', [['Text', (text) => text]], () => {});"
                + "document.getElementById('main').replaceChildren(list.node);"
                + "list.set(items);"
                + "const rows = list.node.querySelector('.rows');"
                + "const frame = () => new Promise(requestAnimationFrame);"
                + "let most = 0; let steps = 0;"
                + "for (; rows.scrollTop + rows.clientHeight < rows.scrollHeight - 1; steps++) {"
                + "  rows.scrollTop += 3600; await frame(); await frame();"
                + "  most = Math.max(most, list.node.querySelectorAll('.space .row').length);"
                + "}"
                + "return {most, steps, last: list.node.innerText.includes('row 9999')};");
    assertThat(list.get("last").asBoolean()).as(list.toString()).isTrue();
    assertThat(list.get("steps").asInt()).isGreaterThan(90);
    assertThat(list.get("most").asInt()).isLessThan(60);
  }

  @Test
  void violationsThatWereNotRolledBackAreCountedAndThoseThatHoldComeFirst() {
    JsonNode verdict =
        browser.run(
            "const {standingOf, verdict} = await import('/console/verdict.js');"
                + "const one = (id) => ({id, predicate: 'p', binding: id, outcome: 'no_rollback',"
                + " ended: id < '5' ? '7000000' : null, phantom: false});"
                + "const latest = [...'12345678'].map(one);"
                + "latest.push({...one('9'), outcome: 'rollback'});"
                + "const status = {waits: [], approvals: [], abandonedEpoch: null, budgets: [],"
                + " coverageLosses: 0, openEpoch: null, notServing: [], sequential: {keys: 0},"
                + " predicates: 1, violations: 9};"
                + "return [verdict(status, standingOf(latest, false)),"
                + " verdict(status, standingOf(latest, true)).headline];");
    assertThat(verdict.get(0).get("headline").asText())
        .isEqualTo("8 violations not rolled back; 4 of these still hold.");
    assertThat(verdict.get(0).get("items").findValuesAsText("what"))
        .containsExactly(
            "p 5, which holds",
            "p 6, which holds",
            "p 7, which holds",
            "p 8, which holds",
            "p 1",
            "And 3 more.");
    assertThat(verdict.at("/0/items/5/link/0").asText()).isEqualTo("#/violations");
    assertThat(verdict.get(1).asText()).startsWith("At least 8 violations");
  }

  /** Node 1 knew 1 ms of node 0 by a message; entries 10 ms old follow from ε. */
  @Test
  void knowledgeOfAMessageDiffersFromKnowledgeByEpsilon() {
    JsonNode layout =
        browser.run(
            "const {layout} = await import('/console/layout.js');"
                + "const interval = (node, start, more) => ({term: node, node, start, ...more,"
                + " writer: 'c', values: []});"
                + "const {edges, bars} = layout({first: '1000000', violate: '1004000.7',"
                + " rules: {epsilon: '10ms'}, intervals: ["
                + "interval(0, ['1000000', '990000'], {endNode: 1, end: ['1006000', '1007000.3']}),"
                + "interval(1, ['1003000.2', '1004000.7']),"
                + "interval(0, ['1002000', '992000'])]}, []);"
                + "return {byEpsilon: edges.map((edge) => edge.isByEpsilon), bars};");
    assertThat(layout.get("byEpsilon").toString()).isEqualTo("[true,false,true]");
    assertThat(layout.get("bars").findValuesAsText("row")).containsExactly("0", "0", "1");
    assertThat(layout.get("bars").get(0).get("endHlc").asText()).isEqualTo("1007000.3");
  }

  @Test
  void anOutageIsShownAndThePageComesBackByItself() {
    browser.run(
        "globalThis.real = fetch; globalThis.fetch = () => Promise.reject(new TypeError('down'));");
    browser.awaitText("The orchestrator does not answer.");
    browser.awaitText("no answer");
    browser.run("globalThis.fetch = globalThis.real;");
    await("the outage ends").atMost(BOUND).until(() -> !browser.text().contains("does not answer"));
  }

  private JsonNode api(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(parts.plane().apiUrl() + path)).build();
    return JSON.readTree(
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
