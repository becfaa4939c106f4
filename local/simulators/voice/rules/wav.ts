const rate = 8000;
const bytesPerSample = 2;

/** Makes a tone as a 16-bit PCM wav file at 8 kHz. The second channel sounds a fifth higher. */
export function toneWav(channels: 1 | 2, seconds = 3): Buffer<ArrayBuffer> {
  const samples = rate * seconds;
  const dataBytes = samples * channels * bytesPerSample;
  const file = Buffer.alloc(44 + dataBytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * channels * bytesPerSample, 28);
  file.writeUInt16LE(channels * bytesPerSample, 32);
  file.writeUInt16LE(8 * bytesPerSample, 34);
  file.write('data', 36);
  file.writeUInt32LE(dataBytes, 40);
  for (let sample = 0; sample < samples; sample++) {
    for (let channel = 0; channel < channels; channel++) {
      const hertz = channel === 0 ? 440 : 660;
      const value = Math.round(8000 * Math.sin((2 * Math.PI * hertz * sample) / rate));
      file.writeInt16LE(value, 44 + (sample * channels + channel) * bytesPerSample);
    }
  }
  return file;
}
