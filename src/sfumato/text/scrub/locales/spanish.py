"""Spanish: Spain and Latin America."""

from __future__ import annotations

from sfumato.text.scrub.locales.pack import LocalePack

__all__ = ["SPANISH"]

SPANISH = LocalePack(
    language="es",
    regions=("ES", "MX", "AR"),
    function_words="el los las del es y una en para que con por su se no esta como pero muy más está sobre gracias "
    "la un al lo",
    months=(
        "enero ene", "febrero feb", "marzo mar", "abril abr", "mayo", "junio jun", "julio jul", "agosto ago",
        "septiembre setiembre sept sep", "octubre oct", "noviembre nov", "diciembre dic",
    ),
    between="de del",
    greetings="hola estimado estimada querido querida buenos_días buenas_tardes buenas_noches",
    closings="saludos un_saludo atentamente cordialmente un_abrazo abrazos saludos_cordiales muchas_gracias besos",
    titles="sr sra srta señor señora señorita don doña dr dra prof d d.ª",
    listed="asistentes participantes presentes ausentes invitados miembros nombres destinatarios",
    introduced="me_llamo mi_nombre_es soy llamado llamada a_la_atención_de",
    id_words="dni nie nif cif pasaporte cliente expediente seguridad_social afiliación matrícula factura pedido cuenta "
    "contrato permiso_de_conducir curp socio póliza",
    phone_words="teléfono tel móvil fax llamar llámame llame número celular",
)  # fmt: skip
