package io.palinode.predicate.form;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.palinode.predicate.RandomPredicate;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.SAXException;

/** The schemas take what the reader takes, and refuse what it does not know. */
class SchemaTest {
  private static final Path PAGE = Path.of("../docs/reference/predicates.md");
  private static final Path REFUSED = Path.of("src/test/resources/refused");
  private static final int SEEDS = 2_000;

  private final com.networknt.schema.JsonSchema json =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(Schemas.json());

  @Test
  void theSchemaHasTheFieldsThatTheReaderKnows() throws IOException {
    Set<String> ofReader = new TreeSet<>();
    YamlReader.VOCABULARIES.forEach(words -> ofReader.add(new TreeSet<>(words.known()).toString()));
    Set<String> ofSchema = new TreeSet<>();
    for (JsonNode properties :
        new ObjectMapper().readTree(Schemas.json()).findValues("properties")) {
      collect(properties, ofSchema);
    }
    assertThat(ofSchema).isEqualTo(ofReader);
  }

  @Test
  void bothSchemasAreAscii() {
    assertThat(Schemas.json() + Schemas.xsd()).matches("\\p{ASCII}*");
  }

  @Test
  void anyPredicateFitsTheSchemaOfTheYamlForm() throws IOException {
    for (long seed = 0; seed < SEEDS; seed++) {
      String yaml = Predicates.toYaml(new RandomPredicate(seed).next());
      assertThat(validate(yaml)).as("seed=%d%n%s", seed, yaml).isEmpty();
    }
  }

  @Test
  void theExamplesOfThePageFit() throws IOException {
    List<String> examples = blocks("yaml");
    assertThat(examples).hasSizeGreaterThanOrEqualTo(4);
    for (String yaml : examples) {
      assertThat(validate(yaml)).as("%s", yaml).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unknown-field.yaml",
        "unknown-word.yaml",
        "sum-without-limit.yaml",
        "at-least-without-count.yaml",
        "group-of-one.yaml",
        "term-belo.yaml",
        "term-two-comparisons.yaml",
        "rollback-scope.yaml"
      })
  void whatTheReaderDoesNotKnowDoesNotFit(String file) throws IOException {
    assertThat(validate(Files.readString(REFUSED.resolve(file)))).isNotEmpty();
  }

  @Test
  void anyPredicateFitsTheSchemaOfTheXmlForm() throws SAXException, IOException {
    Validator xsd = xsd();
    for (long seed = 0; seed < SEEDS; seed++) {
      String xml = Predicates.toXml(new RandomPredicate(seed).next());
      try {
        xsd.validate(new StreamSource(new StringReader(xml)));
      } catch (SAXException e) {
        throw new AssertionError("seed=" + seed + "\n" + xml, e);
      }
    }
  }

  @Test
  void theXmlExampleOfThePageFits() throws SAXException, IOException {
    xsd().validate(new StreamSource(new StringReader(blocks("xml").get(0))));
  }

  private static Validator xsd() throws SAXException {
    return SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
        .newSchema(new StreamSource(new StringReader(Schemas.xsd())))
        .newValidator();
  }

  private Set<ValidationMessage> validate(String yaml) throws IOException {
    return json.validate(new YAMLMapper().readTree(yaml));
  }

  /** {@code findValues} does not look into what it has found. */
  private static void collect(JsonNode properties, Set<String> names) {
    Set<String> own = new TreeSet<>();
    properties.fieldNames().forEachRemaining(own::add);
    names.add(own.toString());
    properties.findValues("properties").forEach(inner -> collect(inner, names));
  }

  private static List<String> blocks(String kind) throws IOException {
    Matcher fence =
        Pattern.compile("^```" + kind + "\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(Files.readString(PAGE));
    List<String> blocks = new ArrayList<>();
    while (fence.find()) {
      blocks.add(fence.group(1));
    }
    return blocks;
  }
}
