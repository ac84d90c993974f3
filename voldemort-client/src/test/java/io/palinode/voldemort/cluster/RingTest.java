package io.palinode.voldemort.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingTest {
  private static Cluster cluster(List<List<Integer>> partitionsByNode) {
    List<Node> nodes = new ArrayList<>();
    for (int id = 0; id < partitionsByNode.size(); id++) {
      nodes.add(new Node(id, "h" + id, 0, 1, 2, 0, partitionsByNode.get(id)));
    }
    return new Cluster("c", List.of(), nodes);
  }

  /** 9 partitions: 0,3,6 on node 0; 1,4,7 on node 1; 2,5,8 on node 2. */
  private static final Cluster THREE =
      cluster(List.of(List.of(0, 3, 6), List.of(1, 4, 7), List.of(2, 5, 8)));

  @ParameterizedTest
  @CsvSource({
    "'', 0x811c9dc5", // vectors of the function's authors
    "a, 0xe40c292c",
    "foo, 0xa9f37ed7",
    "foobar, 0xbf9cf968",
  })
  void hashIsFnv1a(String key, String hash) {
    assertThat(Ring.fnv1a(key.getBytes(UTF_8))).isEqualTo(Long.decode(hash).intValue());
  }

  @ParameterizedTest
  @CsvSource({
    "'', 6", // |−2128831035| mod 9
    "a, 6", // |−468965076| mod 9
    "foo, 7", // |−1443660073| mod 9
    "hello, 0", // 1335831723 mod 9
    "user:1, 7", // 1830439627 mod 9
    "schlüssel, 3", // |−1313100057| mod 9
    "key-2244047P, 1", // the hash is −2^31, whose absolute value counts as 2^31 − 1
  })
  void partitionIsTheAbsoluteHashModuloPartitions(String key, int partition) {
    assertThat(new Ring(THREE, 3).partition(key.getBytes(UTF_8))).isEqualTo(partition);
  }

  @Test
  void leastHashIsHit() {
    assertThat(Ring.fnv1a("key-2244047P".getBytes(UTF_8))).isEqualTo(Integer.MIN_VALUE);
  }

  @Test
  void preferenceListWalksTheRing() {
    Ring ring = new Ring(THREE, 3);
    assertThat(ring.preferenceList("hello".getBytes(UTF_8))).containsExactly(0, 1, 2);
    assertThat(ring.preferenceList("foo".getBytes(UTF_8))).containsExactly(1, 2, 0);
    assertThat(new Ring(THREE, 2).preferenceList("foo".getBytes(UTF_8))).containsExactly(1, 2);
  }

  @Test
  void walkPassesOverNodesItHasMetAndGoesAroundTheEnd() {
    // foobar: |−1080231576| mod 6 = 0; foo: 1443660073 mod 6 = 1; '': 2128831035 mod 6 = 3
    Ring ring = new Ring(cluster(List.of(List.of(0, 1, 4), List.of(2), List.of(3, 5))), 3);
    assertThat(ring.preferenceList("foobar".getBytes(UTF_8))).containsExactly(0, 1, 2);
    assertThat(ring.preferenceList("foo".getBytes(UTF_8))).containsExactly(0, 1, 2);
    assertThat(ring.preferenceList(new byte[0])).containsExactly(2, 0, 1);
  }

  @Test
  void routingAgreesWithIndependentArithmetic() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int nodes = 1 + random.nextInt(6);
      int partitions = nodes + random.nextInt(30);
      int[] owner = new int[partitions];
      List<List<Integer>> byNode = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        byNode.add(new ArrayList<>());
      }
      for (int p = 0; p < partitions; p++) {
        owner[p] = p < nodes ? p : random.nextInt(nodes);
        byNode.get(owner[p]).add(p);
      }
      int replicas = 1 + random.nextInt(nodes);
      byte[] key = new byte[random.nextInt(20)];
      random.nextBytes(key);
      assertThat(new Ring(cluster(byNode), replicas).preferenceList(key))
          .as("seed %d", seed)
          .isEqualTo(oracle(owner, replicas, key));
    }
  }

  /** Without machine arithmetic, with the ring as a stream. */
  private static List<Integer> oracle(int[] owner, int replicas, byte[] key) {
    BigInteger two32 = BigInteger.ONE.shiftLeft(32);
    BigInteger hash = new BigInteger("811c9dc5", 16);
    for (byte b : key) {
      hash = hash.xor(BigInteger.valueOf(Byte.toUnsignedInt(b)));
      hash = hash.multiply(BigInteger.valueOf(16_777_619)).mod(two32);
    }
    BigInteger distance = hash.testBit(31) ? two32.subtract(hash) : hash;
    int master = distance.mod(BigInteger.valueOf(owner.length)).intValue();
    return IntStream.range(master, master + owner.length)
        .mapToObj(p -> owner[p % owner.length])
        .distinct()
        .limit(replicas)
        .toList();
  }

  @Test
  void moreReplicasThanNodesAreRefused() {
    assertThatThrownBy(() -> new Ring(THREE, 4))
        .hasMessage("replicas must be in [1, 3], the nodes with partitions: 4");
    assertThatThrownBy(() -> new Ring(THREE, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
