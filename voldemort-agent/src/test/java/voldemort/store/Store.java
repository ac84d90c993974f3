package voldemort.store;

/** Shaped like Voldemort's interface of this name, where it matters; written for tests. */
public interface Store<K, V, T> {
  String getName();
}
