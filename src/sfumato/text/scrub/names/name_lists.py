"""Lists of words that tell names from other capitalised words. All in lower case."""

from __future__ import annotations

__all__ = ["AMBIGUOUS", "COMMON_NAMES", "NOT_NAMES", "ORGANISATION", "PARTICLES", "TITLES", "words_of"]


def words_of(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


COMMON_NAMES = words_of(
    """
    aaron abdul abigail ada adam adrian agnes ahmed aisha alan albert alejandro alex alexander alexandra alexis
    alfred ali alice alicia alina alison allison amanda amelia amir amy ana anastasia andrea andreas andrew angela
    anita anja ann anna anne annette anthony antonio arthur ashley astrid audrey barbara beatrice ben benjamin
    bernard bernd bert beth betty bianca bill birgit bob boris bradley brandon brenda brian bridget bruce bruno
    carla carlos carmen carol caroline catherine cecilia charles charlotte cheryl chloe chris christian christina
    christine christoph christopher cindy claire clara claudia colin connor craig cristina cynthia daniel daniela
    daniele danielle darren dave david deborah debra denise dennis derek diana diane dieter dmitri dominik donald
    donna dora doris dorothy douglas duncan dylan edgar edith eduardo edward eileen elaine elena eleanor elias
    elisabeth elizabeth ella ellen emil emily emma enrique eric erica erik ernest esther ethan eugene eva evelyn
    fabian fatima felix fernando fiona florence florian francesca francesco francis francisco frank franz frederic
    frederick friedrich fritz gabriel gabriela gareth gary geoffrey george georgia gerald gerard gerhard gina
    giorgio giovanni giulia gloria gordon graham greg gregory greta guido gustav hannah hans harold harry hassan
    heather heidi heinz helen helena helga henrik henry herbert hermann hilary howard hugh hugo ian ibrahim ines
    ingrid irene isabel isabella ivan jack jacob jacqueline jacques jake james jamie jan jana jane janet janice
    jason javier jean jeff jeffrey jennifer jens jeremy jerry jessica jill jim joachim joan joanna joe joel johan
    johann johanna john jonas jonathan jorge jose joseph josephine joshua juan judith judy julia julian julie
    juliette jürgen justin kai karen karin karl karla kate katharina katherine kathleen kathryn katie katja keith
    kelly ken kenneth kevin khalid kim klaus kristen kristin kyle lars laura lauren laurence lea leah lena leo leon
    leonard leonardo leslie liam lidia lilian lina linda lisa logan lorenzo louis louise luca lucas lucia lucy luis
    luisa luke lukas lydia lynn magdalena malcolm manfred manuel marc marco marcus margaret maria marianne marie
    marina mario marion marius marjorie mark marlene marta martha martin martina mary mason mateo matteo matthew
    matthias maureen maurice max maximilian megan mehmet melanie melissa mia michael michelle miguel mike miriam
    mohamed mohammad mohammed monica monika morgan muhammad murat mustafa nadia nancy natalia natalie natasha
    nathan neil nicholas nick nicola nicolas nicole niklas nils nina noah nora norbert norman olaf oleg olga oliver
    olivia omar oscar otto pablo pamela patricia patrick paul paula pauline pedro peggy penelope peter petra philip
    philipp phillip pierre rachel rafael rainer ralf ralph raymond rebecca regina rene renate ricardo richard rita
    robert roberto robin roger roland rolf ron ronald rosa rosemary roy ruben rudolf rupert russell ruth ryan
    sabine sabrina sally salvatore sam samantha samuel sandra sara sarah sascha scott sean sebastian sergei sergio
    sharon sheila shirley silke silvia simon simone sofia sonia sonja sophia sophie stefan stefanie stella
    stephanie stephen steve steven stuart susan susanne suzanne sven sylvia tanja tanya tara teresa terry theodor
    theresa thomas tim timothy tina tobias todd tom tony tracy ulrich ulrike ursula uwe valentina valerie vanessa
    vera veronica victor victoria vincent viola virginia vladimir walter wanda warren wendy werner wilhelm william
    winston wolfgang xavier yasmin yusuf yvonne zoe adams alvarez anderson bauer becker bennett brooks campbell
    carter castillo chen clark collins cooper davies davis diaz edwards evans fernandez fischer fisher fitzgerald
    flores foster garcia gomez gonzalez griffin gruber gupta gutierrez hall hamilton harris harrison hernandez
    hoffmann hughes jackson jenkins johnson jones keller kennedy khan klein kovacs krause krüger kumar lehmann
    lewis lopez maier martinez mayer mcdonald meyer miller mitchell moore morales morris müller murphy murray
    nelson nguyen novak o'brien o'connor o'neill ortiz patel perez peters petersen phillips popescu powell ramirez
    reyes reynolds richards richardson rivera roberts robertson robinson rodriguez rogers ross rossi ruiz sanchez
    sanders schäfer schmidt schmitt schneider scholz schröder schulz schwarz sharma silva simmons singh smith
    sullivan suzuki tanaka taylor thompson torres tran turner wagner walker watson weber williams wilson winkler
    wong wright wu yamamoto yang zhang zimmermann agnieszka aleksander alessandra alessandro alvaro ananya andrzej
    antoine arjun aurelie bartosz beatriz camille carolina catarina celine chiara chinedu dariusz deepak dimitris
    diego eleni elisa emeka emilia emre enzo fatma federica federico francois gabor giorgos giuseppe
    gonzalo grzegorz guillaume hamza hiroshi igor ines inga ingeborg isabelle istvan jacek jaime janos jerome
    joana joao jolanta julien kamil katarzyna kavita kenji kofi krzysztof kwame laszlo lakshmi leila ludovic lukasz
    maciej magda malgorzata manon marcin margherita mariusz marek mathilde mehdi mei milan milena miroslav nadine
    nathalie nikolai nikos oksana olena pavel pawel pilar piotr priya przemyslaw rahul rajesh
    ramon raquel ravi rohan rocio sakura salma samir sanjay santiago satoshi sergey shreya siobhan sunita svetlana
    tatiana tomasz tomasz vikram xiu yasmina yuki yuri yves zainab zofia zsuzsa andrejew bianchi brunner
    colombo costa cruz dubois dupont durand esposito ferrari ferreira fontaine fournier girard gimenez greco huber
    ito ivanov ivanova janssen jansen kim kobayashi kowalczyk kowalska kowalski lambert laurent lefebvre leroy lim
    lindqvist marino martins mercier moreau moreno nakamura navarro nowak okafor oliveira olsen papadopoulos
    pereira petit petrov petrova ricci romano romero rousseau saito santos sato serrano sousa steiner suarez
    vasquez vidal visser watanabe wisniewski wojcik yilmaz
    achim adelheid alois amalie anke annabell annegret anneliese annemarie anni anselm anton armin arne arno
    arnold artur axel ayse balthasar bastian beate bela benedikt benno berit bernadette bernhard berta berthold
    bettina birte bjarne bjorn björn brigitte britta burkhard carina carolin carsten cem christa christel
    christiane christl clemens conny constantin constanze corinna cornelia cosima dagmar detlef dietmar dietrich
    dirk dominic dorothea dorothee ecevit eckart eckhard edeltraud egon ekkehard elfriede elif elke elsa elvira
    emilie engelbert erhard erich erika erna ernst erwin esra eugen ewald fabienne fatih felicitas ferdinand finn
    florentine franka franziska frauke frederik frieda friederike friedhelm fynn gabriele georg gerda gerlinde
    gernot gerold gerti gertrud gisela gottfried gottlieb gregor gudrun gunda gunther gustl götz günter günther
    hakan hanna hanne hannelore hannes harald hartmut hatice hedwig heide heidemarie heike heiko heiner heino
    heinrich helge hella hellmut helmut henning henriette hermine herta hilde hildegard hiltrud holger horst
    hubert hülya ilona ilse imke immo ina inge ingmar ingo ingolf irma irmgard irmtraud isolde jakob janina jannik
    jasmin jessika jochen josef josefine jost jutta jörg jörn kaspar kathrin katrin kerstin kilian kirsten klaas
    klara knut konrad konstantin korbinian kordula korinna kurt lara lasse leni leonhard leopold levin liesel
    lieselotte lilli linus lorenz lothar ludger ludwig luise luitpold lutz magnus maik maike maja malte manja
    manuela mareike maren margarete margit margot margrit mariele marika marlies marlis matilda mats matthis
    mechthild meike melek merle merve michaela mirja mirjam moritz nadja nele nikolaus ortrud oskar ottilie ottmar
    pascal paulina philine philippa pia quirin raimund ramona regine regula reiner reinhard reinhold ricarda
    roderich romy roswitha ruprecht rüdiger samira saskia selma serkan siegfried sieglinde sigrid silvana sina
    stephan susanna swantje sybille sören tabea tamara thea thekla theodora thilo thorsten tilman timo tjark
    torben torsten traudl traute trudi tuncay udo ueli ulf uli ulla urs ute valentin veronika viktor viktoria
    vinzenz volker volkmar walburga waltraud wenzel wiebke wieland wilfried wilhelmine wilma winfried wolfram
    xaver yannick yasemin zeynep zita özlem
    анна иван сергей мария дмитрий елена ольга алексей наталья андрей татьяна александр екатерина михаил николай
    владимир ирина светлана иванов иванова петров петрова γιώργος μαρία δημήτρης κατερίνα νίκος ελένη κώστας γιάννης
    """
)
"""Some twelve hundred given names and three hundred family names that are common in Europe and the Americas.

The German ones are many: there every noun has a capital, so that a name inside a sentence is known by the list or by
what stands before it.
"""

AMBIGUOUS = words_of(
    """
    amber angel april art august autumn baker bell berry bill black bloom brook brooks brown carpenter carter chase
    christian clay cliff cook cooper crystal daisy dawn day dean drew duke earl faith fisher foster frank gene
    ginger glen grace grant gray green guy hall hazel heath hill hope hunter iris ivy jack jasmine jewel joy jean
    june ken king lance lane lily long major mark mason max may melody miles miller miss nick norm olive pat
    patience penny pierce pop price prudence randy ray reed rich rob robin rock rose ruby rusty sandy shepherd sky
    skip smith star stone storm sue summer taylor terry turner violet wade walker ward will wood wright young so
    see early in ha do an lee mercy pearl rod sage sterling trip van
    """
)
"""Names that are words as well: alone, they count as names only where a name must stand."""

NOT_NAMES = words_of(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december all team everyone everybody colleagues colleague sir madam sirs friends
    friend customer customers folks committee members member board staff students editor group there hi hello hey
    dear good morning afternoon evening thanks thank best kind regards sincerely yours cheers from to cc bcc
    subject sent date re fw fwd please hope attached see kindly note on in at the this that these those it we you
    he she they i if when where what who why how and but or so as for with by my our your his her its their an no
    not yes ok okay also after before since while until once here now today tomorrow yesterday let could would can
    shall should do does did have has had is are was were be been am get got just any some many much more most
    other another both each new old first last next one two three english german french spanish italian russian
    chinese american british european internet pc cd usa uk eu us pdf world guys ladies gentlemen parents neighbours
    neighbors mum mom dad love darling sweetheart honey mate buddy boss doctor santa diary reader readers valued hiring
    manager support service helpdesk office desk department sales marketing finance legal management crew community
    everyone's applicant applicants candidate resident residents tenant tenants guest guests user users subscriber
    student teacher professor applicant person people nobody anyone someone alle zusammen damen herren kollegen
    kolleginnen kollegin kollege betreff gesendet datum ort zeit raum objet envoyé asunto enviado fecha oggetto inviato
    team kunde kundin tous toutes messieurs mesdames client clients équipe todos todas equipo cliente
    señores señoras tutti tutte colleghi squadra allen collega's iedereen todos equipe wszyscy państwo коллеги друзья
    все für not going sure glad happy sorry writing afraid looking using trying having being able ready back home
    available interested aware confident busy free done finished done late out away still really very too quite
    inbox outbox mailbox readme todo misc tmp src txt eml mbox docx xlsx pptx odt csv jpg jpeg png img url html admin
    """
)
"""Words that often stand with a capital and are no names."""

ORGANISATION = words_of(
    """
    inc ltd llc gmbh ag corp corporation company co plc university college school institute bank hospital airport
    hotel street road avenue lane square station bridge park center centre foundation association group holdings
    partners partnership airlines press museum church library county island islands river lake mountain valley city
    award prize stadium theatre building tower hall house society club union league council ministry agency trust fund
    network alliance federation committee parliament airport gallery academy orchestra clinic pharmacy
    """
)
"""Words that end the name of an organisation or a place rather than that of a person."""

TITLES = words_of(
    "mr mrs ms miss mx dr prof professor herr herrn frau mme mlle monsieur madame señor señora signor s"
    "ignora sr sra srta sig"
    " dott dottoressa sir lady lord judge rev sgt capt nurse pan pani dhr mevrouw господин госпожа"
)
"""What stands before a name."""

PARTICLES = words_of("van von de der den di da del della dos du la le al el bin ibn ben ten ter zu zum af av y e")
"""What stands inside a name in small letters."""
