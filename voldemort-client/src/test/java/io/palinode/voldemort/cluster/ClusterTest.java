package io.palinode.voldemort.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterTest {
  private static final String XML =
      """
      <?xml version="1.0"?>
      <!-- as the stock distribution writes it -->
      <cluster>
        <name>mycluster</name>
        <zone>
          <zone-id>0</zone-id>
          <proximity-list>1</proximity-list>
        </zone>
        <server>
          <id>0</id>
          <host>node0.example</host>
          <http-port>8081</http-port>
          <socket-port>6666</socket-port>
          <partitions>0, 2</partitions>
        </server>
        <server>
          <id>7</id>
          <host>node7.example</host>
          <http-port>8082</http-port>
          <socket-port>6676</socket-port>
          <admin-port>6999</admin-port>
          <rest-port>8085</rest-port>
          <partitions> 1,3 </partitions>
          <zone-id>1</zone-id>
        </server>
      </cluster>
      """;

  @Test
  void stockFileIsRead() {
    Cluster cluster = Cluster.parse("cluster.xml", XML);
    assertThat(cluster)
        .isEqualTo(
            new Cluster(
                "mycluster",
                List.of(new Zone(0, List.of(1))),
                List.of(
                    new Node(0, "node0.example", 8081, 6666, 6667, 0, List.of(0, 2)),
                    new Node(7, "node7.example", 8082, 6676, 6999, 1, List.of(1, 3)))));
    assertThat(cluster.partitionCount()).isEqualTo(4);
    assertThat(cluster.node(7).socketPort()).isEqualTo(6676);
    assertThatThrownBy(() -> cluster.node(1)).hasMessageContaining("id=1");
  }

  @Test
  void whatIsWrittenReadsTheSame() {
    Cluster cluster =
        new Cluster(
            "a<b>&\"c\"",
            List.of(new Zone(0, List.of()), new Zone(1, List.of(0))),
            List.of(
                new Node(1, "h1", 1, 2, 3, 0, List.of(1)),
                new Node(0, "h0", 4, 5, 6, 1, List.of(2, 0)),
                new Node(2, "h2", 0, 0, 0, 1, List.of())));
    assertThat(Cluster.parse("cluster.xml", cluster.toXml())).isEqualTo(cluster);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<id>7</id>         | <id>0</id>            | c.xml:3: nodes must have different ids: twice id=0",
        "<id>7</id>         | <id>seven</id>        | c.xml:17: <id> must be a whole number: seven",
        "<id>7</id>         | <id>40000</id>        | c.xml:16: a node's id must be in [0, 32767]: id=40000",
        "<id>7</id>         | <uid>7</uid>          | c.xml:16: <server> needs <id>",
        "<id>7</id>         | <id>7</id><id>8</id>  | c.xml:17: <server> has one <id> at most",
        " 1,3               | 1,4                   | c.xml:3: partitions must be 0 to P-1 without a gap: missing=3",
        " 1,3               | 1,2                   | c.xml:3: a partition must be in [0, 1048576) and belong to one node: partition=2 node=7",
        " 1,3               | 1,,3                  | c.xml:23: <partitions> must be whole numbers between commas: 1,,3",
        "6676               | 66760                 | c.xml:16: socket-port must be in [0, 65535]: 66760",
        "<name>             | <label/><name>        | ",
      })
  void errorsNameFileAndLine(String old, String replacement, String message) {
    String broken = XML.replace(old, replacement);
    assertThat(broken).isNotEqualTo(XML);
    if (message == null) {
      assertThat(Cluster.parse("c.xml", broken)).isEqualTo(Cluster.parse("c.xml", XML));
    } else {
      assertThatThrownBy(() -> Cluster.parse("c.xml", broken))
          .isInstanceOf(ClusterFormatException.class)
          .hasMessage(message);
    }
  }

  @Test
  void brokenXmlNamesItsLine() {
    assertThatThrownBy(() -> Cluster.parse("c.xml", "<cluster>\n<name>x</nam>\n</cluster>"))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessageStartingWith("c.xml:2: not well-formed XML: ");
    assertThatThrownBy(() -> Cluster.parse("c.xml", "")).hasMessageStartingWith("c.xml:");
    assertThatThrownBy(() -> Cluster.parse("c.xml", "<stores/>"))
        .hasMessage("c.xml:1: <cluster> expected: <stores>");
  }

  @Test
  void documentTypesEntitiesAndDeepNestingAreRefused() {
    String external =
        """
        <!DOCTYPE cluster [<!ENTITY secret SYSTEM "file:///etc/hostname">]>
        <cluster><name>&secret;</name></cluster>
        """;
    assertThatThrownBy(() -> Cluster.parse("c.xml", external))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessageStartingWith("c.xml:1: ");
    assertThatThrownBy(() -> Cluster.parse("c.xml", "<!DOCTYPE c><cluster/>"))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessage("c.xml:1: a document type is not allowed");
    assertThatThrownBy(() -> Cluster.parse("c.xml", "<cluster>".repeat(100_000)))
        .isInstanceOf(ClusterFormatException.class)
        .hasMessageContaining("nest");
  }
}
