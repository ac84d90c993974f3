package io.palinode.cli.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.ByteString;
import io.palinode.cli.trace.Recording.Interval;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.VariableVersion;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Writes intervals as lines of a trace. */
final class TraceWriter {
  private static final JsonFactory JSON =
      new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  private final Map<Integer, Long> sequences = new HashMap<>();

  /**
   * Replaces {@code file}; it is never half of a trace. Returns the number of lines, one for each
   * interval.
   */
  static long write(Stream<Interval> intervals, Path file) throws IOException {
    Path part = Path.of(file + ".part");
    TraceWriter writer = new TraceWriter();
    long lines;
    try (BufferedWriter out = Files.newBufferedWriter(part)) {
      lines = writer.write(intervals.iterator(), out);
    }
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    return lines;
  }

  /** One line for each. Returns their number. The caller closes {@code out}. */
  long write(Iterator<Interval> intervals, Writer out) throws IOException {
    long lines = 0;
    for (; intervals.hasNext(); lines++) {
      try (JsonGenerator json = JSON.createGenerator(out)) {
        write(intervals.next(), json);
      }
      out.write('\n');
    }
    return lines;
  }

  private void write(Interval interval, JsonGenerator json) throws IOException {
    IntervalRef ref = interval.ref();
    json.writeStartObject();
    json.writeStringField("predicate", ref.getPredicate());
    json.writeNumberField("clause", ref.getClause());
    json.writeNumberField("term", ref.getTerm());
    json.writeNumberField("node", interval.node());
    // The topic counts by incarnation and partition, a trace by node.
    json.writeNumberField("seq", sequences.merge(interval.node(), 1L, Long::sum));
    if (!ref.getBinding().isEmpty()) {
      json.writeStringField("binding", ref.getBinding());
    }
    if (ref.hasMember()) {
      json.writeStringField("member", ref.getMember());
    }
    clock("start", interval.start(), json);
    Hvc end = interval.end();
    if (end != null) {
      clock("end", end, json);
    }
    VariableVersion of = interval.of();
    if (of != null && !of.getClock().isEmpty()) {
      json.writeStringField("version", name(of));
    }
    VariableVersion endedBy = interval.endedBy();
    if (endedBy != null && !endedBy.getClock().isEmpty()) {
      json.writeStringField("endedBy", name(endedBy));
    }
    Integer origin = interval.origin();
    if (origin != null) {
      json.writeNumberField("origin", origin);
    }
    values(interval.values(), json);
    json.writeEndObject();
  }

  private static void clock(String name, Hvc clock, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart(name);
    for (int node = 0; node < clock.nodes(); node++) {
      json.writeString(Hlc.format(clock.get(node)));
    }
    json.writeEndArray();
  }

  private static String name(VariableVersion version) {
    String clock = HexFormat.of().formatHex(version.getClock().toByteArray());
    return version.getKey().toStringUtf8() + "@" + clock + "@" + version.getTimestampMs();
  }

  /** None if one is cut or no text: then the line would not be true of it. */
  private static void values(List<VariableVersion> versions, JsonGenerator json)
      throws IOException {
    Map<String, String> values = new TreeMap<>();
    for (VariableVersion version : versions) {
      if (version.hasValueBytes() || !isText(version.getKey()) || !isText(version.getValue())) {
        return;
      }
      values.putIfAbsent(version.getKey().toStringUtf8(), version.getValue().toStringUtf8());
    }
    if (!values.isEmpty()) {
      json.writeObjectFieldStart("values");
      for (Map.Entry<String, String> value : values.entrySet()) {
        json.writeStringField(value.getKey(), value.getValue());
      }
      json.writeEndObject();
    }
  }

  private static boolean isText(ByteString bytes) {
    return bytes.isValidUtf8();
  }
}
