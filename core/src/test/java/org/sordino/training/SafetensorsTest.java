package org.sordino.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsTest {

  @TempDir Path directory;

  @Test
  void read_afterWrite_isTheSame() throws IOException {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    tensors.put(
        "a.weight",
        new Safetensors.Tensor(
            Safetensors.Type.F32, List.of(2L, 3L), new double[] {1, 2, 3, 4, 5, 6}));
    tensors.put(
        "scalar", new Safetensors.Tensor(Safetensors.Type.F64, List.of(), new double[] {Math.PI}));
    tensors.put("none", new Safetensors.Tensor(Safetensors.Type.F32, List.of(0L), new double[0]));
    tensors.put(
        "z",
        new Safetensors.Tensor(Safetensors.Type.F64, List.of(2L), new double[] {-0.0, Double.NaN}));
    Path file = directory.resolve("model.safetensors");
    new Safetensors(tensors, Map.of("format", "pt")).write(file);

    Safetensors read = Safetensors.read(file);

    assertThat(read.metadata()).containsExactly(Map.entry("format", "pt"));
    assertThat(read.tensors().keySet()).containsExactlyElementsOf(tensors.keySet());
    tensors.forEach(
        (name, tensor) -> {
          assertThat(read.tensors().get(name).shape()).isEqualTo(tensor.shape());
          assertThat(read.tensors().get(name).values()).isEqualTo(tensor.values());
        });
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1); // nothing temporary is left
    }
  }

  /** Byte by byte as the format's description has it. */
  @Test
  void write_oneTensor_hasTheDocumentedBytes() throws IOException {
    Path file = directory.resolve("one.safetensors");
    Safetensors.Tensor tensor =
        new Safetensors.Tensor(Safetensors.Type.F32, List.of(1L, 2L), new double[] {1, -2});
    new Safetensors(Map.of("w", tensor), Map.of()).write(file);

    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    long length = bytes.getLong();
    byte[] header = new byte[(int) length];
    bytes.get(header);

    assertThat(length % 8).isZero();
    assertThat(new String(header, StandardCharsets.UTF_8).stripTrailing())
        .isEqualTo("{\"w\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}");
    assertThat(bytes.getFloat()).isEqualTo(1f);
    assertThat(bytes.getFloat()).isEqualTo(-2f);
    assertThat(bytes.hasRemaining()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"w\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,-8]}}",
        "{\"w\":7}",
        "nonsense"
      })
  void read_damagedHeader_namesTheFile(String header) throws IOException {
    Path file = directory.resolve("damaged.safetensors");
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(8 + json.length + 8).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(json.length).put(json);
    Files.write(file, bytes.array());

    assertThatThrownBy(() -> Safetensors.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("damaged.safetensors");
  }

  @Test
  void read_shortFile_namesTheFile() throws IOException {
    Path file = directory.resolve("short.safetensors");
    Files.write(file, new byte[] {1, 2, 3});

    assertThatThrownBy(() -> Safetensors.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("short.safetensors");
  }

  @Test
  void tensor_wrongNumberOfValues_isRefused() {
    assertThatThrownBy(
            () -> new Safetensors.Tensor(Safetensors.Type.F32, List.of(2L), new double[3]))
        .hasMessageContaining("values must be 2");
  }
}
