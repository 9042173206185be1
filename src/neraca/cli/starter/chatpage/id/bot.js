// Yang diketahui halaman ini tentang sebuah perpustakaan karangan: satu kata dari pertanyaan, dan jawabannya.  Satu jawaban salah.
const BOT = {
  language: "id",
  title: "Bantuan perpustakaan",
  placeholder: "Tulis pertanyaan Anda",
  send: "Kirim",
  writing: "Sedang menulis…",
  unknown: "Maaf, belum ada informasi tentang itu.",
  known: [
    ["buka", "Perpustakaan buka dari pukul 8.00 sampai 21.00 pada hari kerja."],
    ["dipinjam", "Anda boleh meminjam sampai sepuluh buku selama empat minggu."],
    ["terlambat", "Denda buku terlambat 10.000 rupiah per hari."],
    ["diperpanjang", "Ya, buku bisa diperpanjang dua kali lewat akun Anda."],
    ["kartu", "Bawalah KTP Anda ke meja depan."],
  ],
};
