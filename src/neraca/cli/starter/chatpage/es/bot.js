// Lo que la página sabe de una biblioteca inventada: una palabra de la pregunta y la respuesta.  Una respuesta es falsa.
const BOT = {
  language: "es",
  title: "Ayuda de la biblioteca",
  placeholder: "Escriba su pregunta",
  send: "Enviar",
  writing: "Escribiendo…",
  unknown: "Lo siento, no tengo nada sobre eso.",
  known: [
    ["abre", "La biblioteca abre de 8:00 a 21:00 los días laborables."],
    ["llevar", "Puede llevarse hasta diez libros durante cuatro semanas."],
    ["tarde", "Un libro devuelto tarde cuesta 1 euro al día."],
    ["renovar", "Sí, puede renovar los libros dos veces en su cuenta."],
    ["carné", "Traiga su documento de identidad al mostrador."],
  ],
};
