package io.palinode.voldemort.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreDefinitionTest {
  private static final String XML =
      """
      <stores>
        <store>
          <name>graph</name>
          <persistence>bdb</persistence>
          <description>edges &amp; colours</description>
          <routing>client</routing>
          <routing-strategy>consistent-routing</routing-strategy>
          <replication-factor>3</replication-factor>
          <required-reads>1</required-reads>
          <preferred-reads>2</preferred-reads>
          <required-writes>1</required-writes>
          <key-serializer><type>string</type></key-serializer>
          <value-serializer>
            <type>json</type>
            <schema-info version="0">"string"</schema-info>
          </value-serializer>
        </store>
        <view><name>v</name></view>
      </stores>
      """;

  @Test
  void stockFileIsReadAndWhatIsNotOursIsKept() {
    StoreDefinition expected =
        new StoreDefinition(
            "graph",
            Persistence.BDB,
            3,
            1,
            1,
            2,
            1,
            List.of(
                "<description>edges &amp; colours</description>",
                "<key-serializer><type>string</type></key-serializer>",
                "<value-serializer><type>json</type>"
                    + "<schema-info version=\"0\">&quot;string&quot;</schema-info>"
                    + "</value-serializer>"));
    assertThat(StoreDefinition.parse("stores.xml", XML)).containsExactly(expected);
    assertThat(StoreDefinition.parse("again", StoreDefinition.toXml(List.of(expected))))
        .containsExactly(expected);
  }

  @Test
  void preferredCountsDefaultToTheRequiredOnes() {
    StoreDefinition store = StoreDefinition.of("s", Persistence.MEMORY, 3, 2, 1);
    assertThat(store.preferredReads()).isEqualTo(2);
    assertThat(store.preferredWrites()).isEqualTo(1);
    assertThat(StoreDefinition.parse("f", StoreDefinition.toXml(List.of(store))))
        .containsExactly(store);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bdb</           | rocksdb</            | s.xml:4: <persistence> must be bdb or memory: rocksdb",
        "client          | server               | s.xml:6: <routing> must be client: server",
        "consistent-     | zone-                | s.xml:7: <routing-strategy> must be consistent-routing: zone-routing",
        "reads>1<        | reads>4<             | s.xml:2: required-reads must be in [1, 3]: 4",
        "reads>2<        | reads>0<             | s.xml:2: preferred-reads must be in [1, 3]: 0",
        "<required-writes>1</required-writes> | <x/> | s.xml:2: <store> needs <required-writes>",
        "<view>          | <store><name>n</name></store><view> | s.xml:18: <store> needs <required-reads>",
      })
  void errorsNameFileAndLine(String old, String replacement, String message) {
    String broken = XML.replace(old, replacement);
    assertThat(broken).isNotEqualTo(XML);
    assertThatThrownBy(() -> StoreDefinition.parse("s.xml", broken))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessage(message);
  }

  @Test
  void twoStoresOfOneNameAreRefused() {
    StoreDefinition store = StoreDefinition.of("s", Persistence.BDB, 1, 1, 1);
    String twice = StoreDefinition.toXml(List.of(store, store));
    assertThatThrownBy(() -> StoreDefinition.parse("s.xml", twice))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessageContaining("twice s");
  }
}
